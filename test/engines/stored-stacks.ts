import assert from 'node:assert/strict';
import { cpSync } from 'node:fs';
import { probeIntervalMs, writeTrackedServers } from '../bench/tracked-servers.ts';
import { gsq } from '../cli/gsq-command.ts';
import { credentialHeaders } from '../contract/rest.ts';
import { DAY } from '../core/store/history/opened-history.ts';
import { ask } from '../gateway/ask.ts';
import { scratchDirectory } from '../system/scratch-directory.ts';
import { bootstrap } from '../system/stack-settings.ts';
import { until } from '../system/until.ts';
import { CoreGroup } from './core-group.ts';
import { EngineCluster } from './engine-cluster.ts';
import { GrpcPort, REQUEST_ID, type ServiceName } from './grpc-port.ts';
import { KEPT, writeHistory } from './written-history.ts';

const CORES = 3;
const GATEWAYS = 2;

const unmasked = (text: string): string => text;

/** One of the two gsq services of `StoredStacks`: its cores and its gateways. No prober runs. */
export interface StoredService {
  readonly group: CoreGroup;
  /** Addresses of the gateways, `host:port`. */
  readonly gateways: readonly string[];
  /** The public gRPC port of each core. */
  readonly public: readonly GrpcPort[];
  /** The internal gRPC port of each core. */
  readonly internal: readonly GrpcPort[];
}

async function serviceOf(group: CoreGroup, gateways: number): Promise<StoredService> {
  const started = Array.from({ length: gateways }, () => group.startOther('gateway'));
  return {
    group,
    gateways: (await Promise.all(started)).map(gateway => gateway.address('GSQ_HTTP_ADDR')),
    public: GrpcPort.ofCores(group.cores, 'GSQ_GRPC_ADDR'),
    internal: GrpcPort.ofCores(group.cores, 'GSQ_INTERNAL_ADDR'),
  };
}

async function getFrom(gateway: string, path: string): Promise<string> {
  const headers = { ...credentialHeaders(bootstrap), 'X-Request-Id': REQUEST_ID };
  const { status, text } = await ask(gateway, { path, headers });
  return `${status} ${text}`;
}

/**
 * Two gsq services with the same stored servers and history, for tests that compare their answers: a single core with
 * the embedded store, and three cores with Valkey. No prober runs, so the data stays unchanged.
 */
export class StoredStacks {
  readonly embedded: StoredService;
  readonly cluster: StoredService;
  readonly #engine: EngineCluster;

  private constructor(embedded: StoredService, cluster: StoredService, engine: EngineCluster) {
    this.embedded = embedded;
    this.cluster = cluster;
    this.#engine = engine;
  }

  /**
   * Starts a single core and a cluster of cores with the same stored servers. `count`: number of tracked servers. Only
   * some of these servers have a history (see `writeHistory`). `env`: GSQ_* settings of all processes.
   */
  static async start(count: number, env: Readonly<Record<string, string>>): Promise<StoredStacks> {
    const [directory, copy] = [scratchDirectory(), scratchDirectory()];
    await writeTrackedServers(directory, count, { insertedAt: Date.now() - 7 * DAY });
    await writeHistory(directory);
    cpSync(directory, copy, { recursive: true });
    const settings = { ...KEPT, GSQ_PROBE_INTERVAL: `${probeIntervalMs}ms`, ...env };
    const engine = await EngineCluster.startSingle('valkey');
    const startCluster = async (): Promise<CoreGroup> => {
      const store = { GSQ_STORE: engine.url, GSQ_DATA_DIR: copy };
      const { status, talk } = await gsq({ ...KEPT, ...store }, 'migrate', '--from', 'leveldb');
      assert.equal(status, 0, talk);
      return CoreGroup.start({ engine, cores: CORES, env: settings, directory: copy });
    };
    const groups = await Promise.allSettled([
      CoreGroup.start({ engine: undefined, cores: 1, env: settings, directory }),
      startCluster(),
    ]);
    try {
      const [embedded, cluster] = groups.map(group => {
        if (group.status === 'rejected') throw group.reason;
        return group.value;
      }) as [CoreGroup, CoreGroup];
      return new StoredStacks(await serviceOf(embedded, 1), await serviceOf(cluster, GATEWAYS), engine);
    } catch (error) {
      for (const group of groups) if (group.status === 'fulfilled') await group.value.stop();
      await engine.stop();
      throw error;
    }
  }

  /**
   * Makes the same gRPC call to the public port of all cores. `mask` hides the parts of an answer that change with
   * time. By default, it hides nothing.
   */
  readonly callAll = (service: ServiceName, method: string, request: object, mask = unmasked) =>
    this.#askAll(
      () => this.embedded.public.map(port => port.call(service, method, request)),
      () => this.cluster.public.map(port => port.call(service, method, request)),
      mask,
    );

  /**
   * Gets the same path of the REST API from all gateways. Returns the answers. `mask` replaces the parts of an answer
   * that may differ.
   */
  getAll(path: string, mask = unmasked): Promise<string[]> {
    return this.#askAll(
      () => this.embedded.gateways.map(gateway => getFrom(gateway, path)),
      () => this.cluster.gateways.map(gateway => getFrom(gateway, path)),
      mask,
    );
  }

  async stop(): Promise<void> {
    for (const { group, public: open, internal } of [this.embedded, this.cluster]) {
      for (const port of [...open, ...internal]) port.close();
      await group.stop();
    }
    await this.#engine.stop();
  }

  /**
   * Sends a request to the single core, then to the cluster, and then to the single core once more. If the two answers
   * of the single core differ, repeats all requests: some answers depend on the current time.
   */
  #askAll(
    askOne: () => Promise<string>[],
    askMany: () => Promise<string>[],
    mask: (text: string) => string,
  ): Promise<string[]> {
    return until(
      'the same answer of one core before and after the answers of the other cores',
      async () => {
        const before = await Promise.all(askOne());
        const during = await Promise.all(askMany());
        return [...before, ...during, ...(await Promise.all(askOne()))].map(mask);
      },
      answers => answers.at(0) === answers.at(-1),
    );
  }
}
