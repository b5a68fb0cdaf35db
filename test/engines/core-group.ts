import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { BucketAssignment } from '../../core/cluster/bucket-assignment.ts';
import { ALL_BUCKETS, SERVER_BUCKETS } from '../../core/cluster/buckets.ts';
import { freePort } from '../peers/free-port.ts';
import { scratchDirectory } from '../system/scratch-directory.ts';
import { ServiceProcess } from '../system/service-process.ts';
import { type ProcessName, stackDefaults } from '../system/stack-settings.ts';
import { until } from '../system/until.ts';
import type { EngineCluster } from './engine-cluster.ts';

const BALANCED_MS = 60_000;

/** Options of `CoreGroup.start`. */
export interface CoreGroupOptions {
  /** The storage engine of the cores. Undefined for the embedded store, which allows only one core. */
  engine: Pick<EngineCluster, 'url'> | undefined;
  cores: number;
  /** GSQ_* settings of every process, in addition to the defaults in stack-settings.ts. */
  env?: Readonly<Record<string, string>>;
  /** GSQ_* settings that only one core gets, by the index of this core. */
  coreEnv?: readonly (Readonly<Record<string, string>> | undefined)[];
  /** Data directory of the first core. By default, the directory is new and empty. */
  directory?: string;
}

/**
 * Several core processes with one store. Each core has its own data directory and the same token key. A core that is
 * started again has the same internal address as before.
 */
export class CoreGroup {
  readonly cores: ServiceProcess[] = [];
  readonly #others: ServiceProcess[] = [];
  readonly #settings: Record<string, string>;
  readonly #coreSettings: CoreGroupOptions['coreEnv'];
  readonly #directories: string[];
  readonly #internal: string[] = [];

  private constructor({ engine, cores, env, coreEnv, directory }: CoreGroupOptions) {
    this.#settings = { ...stackDefaults, ...(engine && { GSQ_STORE: engine.url }), ...env };
    this.#coreSettings = coreEnv;
    this.#directories = Array.from({ length: cores }, scratchDirectory);
    if (directory !== undefined) this.#directories[0] = directory;
  }

  /** Starts the cores. Resolves when each core owns its share of the buckets (groups of servers). */
  static async start(options: CoreGroupOptions): Promise<CoreGroup> {
    const group = new CoreGroup(options);
    try {
      for (let i = 0; i < options.cores; i++) group.#internal.push(`127.0.0.1:${await freePort()}`);
      // The first core must start alone, because it creates the token key that all cores use.
      await group.startCore(0);
      await Promise.all(Array.from({ length: options.cores - 1 }, (_, i) => group.startCore(i + 1)));
      if (options.engine) await group.balanced();
      return group;
    } catch (error) {
      await group.stop();
      throw error;
    }
  }

  /** Internal addresses of all cores, `host:port`, including cores that do not run. */
  get internal(): readonly string[] {
    return this.#internal;
  }

  /** Recent output of all processes, for error messages. */
  get report(): string {
    return [...this.cores, ...this.#others].map(({ child }) => child.report).join('\n');
  }

  /** Starts the core with this index, or starts it again after it has ended. Resolves when the core is ready. */
  async startCore(i: number): Promise<void> {
    const [first = '', directory = ''] = [this.#directories[0], this.#directories[i]];
    // All cores must hash the secrets of tokens with the same key.
    if (i > 0) copyFileSync(join(first, 'token.key'), join(directory, 'token.key'));
    const own = { GSQ_DATA_DIR: directory, GSQ_INTERNAL_ADDR: this.#internal[i] ?? '' };
    const settings = { ...this.#settings, ...own, ...this.#coreSettings?.[i] };
    this.cores[i] = await ServiceProcess.start('core', settings);
  }

  /** Starts a gateway, prober or notifier. It gets the addresses of all cores from the first core. */
  async startOther(name: Exclude<ProcessName, 'core'>): Promise<ServiceProcess> {
    const started = await ServiceProcess.start(name, {
      ...this.#settings,
      GSQ_INTERNAL_ADDR: this.#internal[0] ?? '',
    });
    this.#others.push(started);
    return started;
  }

  /** Resolves when each running core owns exactly its share of the buckets of data, so that no bucket moves. */
  async balanced(): Promise<void> {
    const members = this.#internal.flatMap((address, i) =>
      this.cores[i]?.child.running ? [{ id: address, address }] : [],
    );
    const { bucketsOf } = new BucketAssignment().of(members);
    const shares = members.map(({ id }) => bucketsOf.get(id)?.length ?? 0);
    const running = this.cores.filter(({ child }) => child.running);
    // The tokens and webhooks are also divided into buckets. The lead core owns all of these.
    const ofAccounts = ALL_BUCKETS - SERVER_BUCKETS;
    await until(
      'buckets with an owner',
      () => Promise.all(running.map(core => bucketCountOf(core).catch(() => 0))),
      counts =>
        counts.reduce((sum, count) => sum + count, 0) === ALL_BUCKETS &&
        counts.every((count, i) => [0, ofAccounts].includes(count - (shares[i] ?? 0))),
      BALANCED_MS,
    ).catch(error => {
      throw new Error(`${error}\n${this.report}`);
    });
  }

  /** Kills all processes of this group of cores. */
  async stop(): Promise<void> {
    await Promise.all([...this.#others, ...this.cores].map(({ child }) => child.stop('SIGKILL')));
  }
}

/** Returns the metrics of a core in the text format of Prometheus. */
export async function metricsOf(core: ServiceProcess): Promise<string> {
  return (await fetch(`http://${core.address('GSQ_CORE_OPS_ADDR')}/metrics`)).text();
}

/** Returns the number of buckets of data that a core owns and has loaded. */
async function bucketCountOf(core: ServiceProcess): Promise<number> {
  return Number(/^gsq_cluster_buckets (\d+)$/m.exec(await metricsOf(core))?.[1]);
}
