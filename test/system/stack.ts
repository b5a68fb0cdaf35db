import { once } from 'node:events';
import { join } from 'node:path';
import { serviceArguments } from '../../cli/launcher/service-arguments.ts';
import type { ReadyMessage } from '../../runtime/lifecycle.ts';
import type { EngineCluster } from '../engines/engine-cluster.ts';
import type { EngineKind } from '../engines/engine-program.ts';
import { Child } from './child.ts';
import { hearMetrics } from './hearing.ts';
import { OPS_ADDR, type ProcessName, processNames, stackDefaults } from './stack-settings.ts';

export interface StackOptions {
  /** GSQ_* settings for every process of the test stack, in addition to the defaults in stack-settings.ts. */
  env?: Record<string, string>;
  /** The processes of the test stack to run. By default, all four run: core, gateway, prober and notifier. */
  processes?: readonly ProcessName[];
  /** Number of probers to start in addition to the prober in `processes`. By default none. */
  moreProbers?: number;
}

/**
 * Starts a Redis or Valkey for a test stack if TEST_STORE names one. The tests of the stack then run with this store
 * instead of the embedded one. Resolves to undefined if the stack uses the embedded store.
 */
async function startEngine(env: Record<string, string>): Promise<EngineCluster | undefined> {
  const kind = process.env.TEST_STORE;
  if (kind === undefined || env.GSQ_DATA_DIR !== undefined) return undefined;
  return (await import('../engines/engine-cluster.ts')).EngineCluster.startSingle(kind as EngineKind);
}

/** A core, gateway, prober or notifier process, which the test starts like an operator would. */
export class ServiceProcess {
  readonly child: Child;
  /** The message in which the process reported that it is ready. */
  readonly ready: ReadyMessage;

  private constructor(child: Child, ready: ReadyMessage) {
    this.child = child;
    this.ready = ready;
  }

  /**
   * Starts a process of the service. Resolves when the process is ready. Rejects with its output if it ends before
   * that.
   */
  static async start(name: ProcessName, env: Record<string, string>): Promise<ServiceProcess> {
    const argv = (home: string) => [
      ...serviceArguments(name),
      ...(env.GSQ_DATA_DIR === undefined ? ['--data-dir', join(home, 'data')] : []),
    ];
    const child = await Child.start(process.execPath, argv, { env, ipc: true });
    const ready = once(child.process, 'message').then(([message]): ReadyMessage => message);
    const ended = child.ended.then(() => Promise.reject(new Error(child.report)));
    // Prevents an unhandled rejection if the process ends later, after it was ready.
    ended.catch(() => {});
    try {
      return new ServiceProcess(child, await Promise.race([ready, ended]));
    } catch (error) {
      await child.stop('SIGKILL');
      throw error;
    }
  }

  /** Returns the address, `host:port`, on which the process listens for a setting such as GSQ_HTTP_ADDR. */
  address(setting: string): string {
    const address = this.ready.addresses[setting];
    if (address === undefined) throw new Error(`${setting} is not among the bound addresses`);
    return address;
  }
}

/** The service as separate processes, which are allowed to probe loopback addresses. */
export class Stack {
  readonly #processes: ReadonlyMap<ProcessName, ServiceProcess>;

  readonly #moreProbers: readonly ServiceProcess[];
  readonly #engine: EngineCluster | undefined;

  private constructor(
    processes: ReadonlyMap<ProcessName, ServiceProcess>,
    moreProbers: readonly ServiceProcess[],
    engine: EngineCluster | undefined,
  ) {
    this.#processes = processes;
    this.#moreProbers = moreProbers;
    this.#engine = engine;
  }

  static async start({
    env = {},
    processes = processNames,
    moreProbers = 0,
  }: StackOptions = {}): Promise<Stack> {
    const engine = await startEngine(env);
    const settings: Record<string, string> = {
      ...stackDefaults,
      ...(engine && { GSQ_STORE: engine.url }),
      ...env,
    };
    const started = new Map<ProcessName, ServiceProcess>();
    const probers: ServiceProcess[] = [];
    try {
      const core = await ServiceProcess.start('core', settings);
      started.set('core', core);
      settings.GSQ_INTERNAL_ADDR = core.address('GSQ_INTERNAL_ADDR');
      settings.GSQ_CORE_OPS_ADDR = core.address('GSQ_CORE_OPS_ADDR');
      const others = processes.filter(name => name !== 'core');
      const starting = others.map(async name => {
        started.set(name, await ServiceProcess.start(name, settings));
      });
      for (let i = 0; i < moreProbers; i++) probers.push(await ServiceProcess.start('prober', settings));
      const failed = (await Promise.allSettled(starting)).find(result => result.status === 'rejected');
      if (failed) throw failed.reason;
      return new Stack(started, probers, engine);
    } catch (error) {
      await Promise.all([...started.values(), ...probers].map(({ child }) => child.stop('SIGKILL')));
      await engine?.stop();
      throw error;
    }
  }

  process(name: ProcessName): ServiceProcess {
    const found = this.#processes.get(name);
    if (!found) throw new Error(`this stack runs no ${name}`);
    return found;
  }

  /** Address of the REST gateway, `host:port`. */
  get http(): string {
    return this.process('gateway').address('GSQ_HTTP_ADDR');
  }

  /** Address of the public gRPC port, `host:port`. */
  get grpc(): string {
    return this.process('core').address('GSQ_GRPC_ADDR');
  }

  /** Address of the internal gRPC port, `host:port`. */
  get internal(): string {
    return this.process('core').address('GSQ_INTERNAL_ADDR');
  }

  /** Recent output of all processes of the stack, for error messages. */
  get report(): string {
    return [...this.#processes.values()].map(({ child }) => child.report).join('\n');
  }

  /**
   * Stops all processes with SIGTERM, the core last. Rejects if a process exits with a status other than 0. A process
   * that a test killed with SIGKILL is ignored.
   */
  async stop(): Promise<void> {
    const up = [...this.#processes].filter(([, { child }]) => child.running);
    await Promise.all(up.map(([name, started]) => hearMetrics(name, started.address(OPS_ADDR[name]))));
    await Promise.all(this.#moreProbers.map(({ child }) => child.stop()));
    const faults: string[] = [];
    for (const name of processNames.toReversed()) {
      const child = this.#processes.get(name)?.child;
      const ending = await child?.stop();
      if (ending !== undefined && ending !== 0 && ending !== 'SIGKILL') faults.push(child?.report ?? name);
    }
    await this.#engine?.stop();
    if (faults.length > 0) throw new Error(`did not drain\n${faults.join('\n')}`);
  }
}
