import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { InsertGuard } from '../../../core/admission/insert-guard.ts';
import { InsertRates } from '../../../core/admission/insert-rates.ts';
import { UnconfirmedServers } from '../../../core/admission/unconfirmed-servers.ts';
import { bucketOfServer } from '../../../core/cluster/buckets.ts';
import { LocalParts } from '../../../core/cluster/parts/local-parts.ts';
import { RemoteServers } from '../../../core/cluster/parts/remote-servers.ts';
import { Peers } from '../../../core/cluster/peers.ts';
import { ServerCredentials } from '../../../core/credentials/server-credentials.ts';
import { adminServerMethods } from '../../../core/rpc/admin-server-methods.ts';
import { createInternalServer, listen } from '../../../core/rpc/grpc-server.ts';
import { Handlers } from '../../../core/rpc/handler.ts';
import { internalGuard } from '../../../core/rpc/internal-guard.ts';
import { partMethods } from '../../../core/rpc/part-service.ts';
import { renderServers } from '../../../core/rpc/render-service.ts';
import { GivenUpServers } from '../../../core/servers/given-up-servers.ts';
import { ServerChanges } from '../../../core/servers/server-changes.ts';
import { ServerFetch } from '../../../core/servers/server-fetch.ts';
import type { ServerRecord } from '../../../core/servers/server-record.ts';
import { ServerRecords } from '../../../core/servers/server-records.ts';
import { EmbeddedServerStore } from '../../../core/store/memory/embedded-server-store.ts';
import { NoWrites } from '../../../core/store/no-writes.ts';
import type { CountedPut } from '../../../core/store/storage-engine.ts';
import { Resolver } from '../../../net/resolver.ts';
import { TargetPolicy } from '../../../net/targets.ts';
import { gsqV1 } from '../../../proto/descriptors.ts';
import { clusterServiceDefinition } from '../../../proto/streams/render-service.ts';
import { formatEndpoint } from '../../../runtime/endpoint.ts';
import { NameServer, type Records } from '../../system/name-server.ts';
import { scratchDirectory } from '../../system/scratch-directory.ts';
import { catalogOf } from '../catalog-of.ts';
import { clockAt } from '../clock.ts';
import { onlineRecord } from '../record-of.ts';
import { leaseRecords } from '../store/lease-records.ts';
import { type DurableEntries, MapEngine } from '../store/map-engine.ts';
import { FakeCluster, type FakeOwnership } from './fake-ownership.ts';

/** Secret of the internal ports of the cores. */
export const SECRET = 'a secret of this test';
const MOST = Number.MAX_SAFE_INTEGER;

/** Settings that all cores of a test share. */
export interface ClusterSettings {
  names?: Record<string, Records>;
  /** Each core accepts at most this number of inserts from one token in a minute. */
  insertsPerMinute?: number;
  /** Each core tracks at most this number of servers at one IP address that have never answered. */
  unconfirmedPerAddress?: number;
  /** Time after which the calls of a core to other cores fail, ms. */
  deadlineMs?: number;
}

/**
 * A storage engine for one core of the test. Refuses inserts of game servers that another core owns, except while
 * `isLoading` is true.
 */
class FencedEngine extends MapEngine {
  readonly #owns: (key: string) => boolean;
  /** True while the core loads the servers of a bucket (group of servers) that it will own. */
  isLoading = false;

  constructor(entries: DurableEntries, owns: (key: string) => boolean) {
    super(entries);
    this.#owns = owns;
  }

  override async insertIfAbsent(entries: readonly CountedPut[]): Promise<ReadonlyMap<string, Buffer>> {
    const isLoading = this.isLoading;
    await new Promise(setImmediate);
    if (!isLoading && entries.some(({ key }) => !this.#owns(key.slice(2))))
      throw new NoWrites('another core is the owner');
    return super.insertIfAbsent(entries);
  }
}

/** Opens everything that all cores of a test share: the clock, the catalog and the name server. */
export async function openShared(t: TestContext, settings: ClusterSettings = {}) {
  const clock = clockAt();
  const dns = await NameServer.start(settings.names ?? {});
  t.after(() => dns.stop());
  /** The stored entries of each core of the cluster. */
  const allEntries: DurableEntries[] = [];
  return { clock, dns, catalog: await catalogOf(clock.now, 'csgo', 'css', 'palworld'), settings, allEntries };
}

type Shared = Awaited<ReturnType<typeof openShared>>;

/**
 * Opens one core with its own store and without a prober. The core refuses servers at private addresses. `ownership` is
 * undefined if the core owns all servers.
 */
export async function openCore(
  t: TestContext,
  { clock, dns, catalog, settings, allEntries }: Shared,
  ownership: FakeOwnership | undefined,
) {
  const owns = (key: string): boolean => !ownership || ownership.owns(bucketOfServer(key));
  const entries: DurableEntries = new Map();
  const engine = new FencedEngine(entries, owns);
  const directory = scratchDirectory();
  const credentials = await ServerCredentials.load(engine, directory);
  const { insertsPerMinute = MOST, unconfirmedPerAddress = MOST, deadlineMs = 60_000 } = settings;
  const unconfirmed = new UnconfirmedServers({
    ...{ inAll: MOST, aToken: MOST, aNetwork: MOST },
    anAddress: unconfirmedPerAddress,
  });
  const store = await EmbeddedServerStore.load(engine, {
    ...{ now: clock.now, probeIntervalMs: 60_000, leaseMs: 30_000, maxServers: 100_000, unconfirmed },
    onRemove: keys => credentials.dropAccess(keys),
  });
  const givenUp = await GivenUpServers.load(engine, {
    ...{ now: clock.now, most: 1000, isTracked: () => false },
    onCorrupt: key => assert.fail(key),
  });
  const changes = new ServerChanges();
  const onInserted = { act: (): void => {} };
  const guard = new InsertGuard(
    new InsertRates({ aMinute: insertsPerMinute, aDay: MOST }, clock.now),
    unconfirmed,
  );
  const closing = new AbortController();
  const parts = {
    ...{ store, givenUp, changes, guard, credentials, now: clock.now, closing: closing.signal },
    policy: new TargetPolicy([]),
    resolver: new Resolver([dns.address], clock.now),
    onInserted: () => onInserted.act(),
  };
  const local = ownership && new LocalParts({ ...parts, ownership });
  const peers = ownership && new Peers({ ownership, secret: SECRET, security: () => undefined });
  const cluster = local && peers && new RemoteServers({ ownership, peers, local, now: Date.now, deadlineMs });
  t.after(() => {
    cluster?.close();
    peers?.close();
  });
  const fetch = new ServerFetch({ ...parts, catalog, cluster });
  // In a real cluster, all cores share one storage engine. In this test, each core has its own engine, so `records`
  // reads all engines.
  if (ownership) allEntries.push(entries);
  const all = ownership ? allEntries : [entries];
  const records = new ServerRecords({
    ...{ store, credentials, cluster },
    engine: {
      entries: (prefix, after) =>
        new MapEngine(new Map(all.flatMap(each => [...each]))).entries(prefix, after),
    },
  });
  const handlers = new Handlers(internalGuard(SECRET), error => assert.fail(String(error)));
  const freshness = { staleAfterMs: 600_000, probeIntervalMs: 60_000 };
  const server = createInternalServer();
  server.addService(
    gsqV1.AdminService.service,
    adminServerMethods({ ...parts, catalog, fetch, records, cluster, freshness }, handlers),
  );
  if (local) {
    const rendering = { store, ownership, freshness, now: clock.now, closing: closing.signal };
    server.addService(clusterServiceDefinition, {
      ...partMethods({ parts: local, closing: closing.signal }, handlers),
      RenderServers: renderServers(rendering, handlers),
    });
  }
  const address = formatEndpoint(await listen(server, 'GSQ_INTERNAL_ADDR', { host: '127.0.0.1', port: 0 }));
  t.after(() => server.forceShutdown());
  return {
    ...{ address, clock, engine, store, givenUp, guard, unconfirmed, credentials, changes, closing },
    ...{ onInserted, fetch, records, cluster, server, local },
    /**
     * Acts as a prober: records that a game server has answered. Returns false if the core does not track this server.
     */
    answer(key: string): boolean {
      let found = false;
      const others: number[] = [];
      for (const lease of leaseRecords(store, MOST)) {
        if (lease.server.key !== key) others.push(lease.id);
        else {
          const next = onlineRecord(lease.server, clock.at);
          store.apply(lease.id, next);
          changes.publish(next);
          found = true;
        }
      }
      store.release(others);
      return found;
    },
  };
}

export type OpenedCore = Awaited<ReturnType<typeof openCore>>;

/** Opens a cluster of cores. The groups of servers are spread over the cores `core-0`, `core-1` and so on. */
export async function openCluster(t: TestContext, count: number, settings: ClusterSettings = {}) {
  const shared = await openShared(t, settings);
  const cluster = new FakeCluster();
  const cores: OpenedCore[] = [];
  const ownerships: FakeOwnership[] = [];
  for (let i = 0; i < count; i++) {
    const self = { id: `core-${i}`, address: '' };
    const ownership = cluster.join(self);
    const core = await openCore(t, shared, ownership);
    self.address = core.address;
    cores.push(core);
    ownerships.push(ownership);
  }
  cluster.spread();
  const at = (i: number): OpenedCore => {
    const core = cores[i];
    assert.ok(core, `there is no core ${i}`);
    return core;
  };
  return {
    ...{ shared, cluster, cores, ownerships, at },
    /** Returns the core that owns a game server. */
    ownerOf: (key: string): OpenedCore => at(Number(cluster.ownerOf(key)?.slice('core-'.length))),
    /** Returns the address of a game server that core number `owner` owns. Each `n` gives a different address. */
    addressOf(owner: number, n = 0): string {
      for (let host = 1, left = n; ; host++) {
        const address = `1.2.${host >> 8}.${host & 255}:27015`;
        if (bucketOfServer(`csgo ${address}`) % count === owner && left-- === 0) return address;
      }
    },
    /**
     * Moves the bucket that contains the server `key` to core number `to`, as in a real change of the owner. If the old
     * owner is paused (`isValid` is false), the servers stay in its memory.
     */
    async move(key: string, to: number): Promise<void> {
      const from = cluster.ownerOf(key);
      const bucket = bucketOfServer(key);
      cluster.setOwner(key, undefined);
      const fromIndex = Number(from?.slice('core-'.length));
      const old = from === undefined ? undefined : at(fromIndex);
      const next = at(to);
      if (old && old !== next) {
        const moved: ServerRecord[] = [];
        // Reads the servers from the storage engine of their previous owner. The method `entries` first waits until the
        // running writes of this engine have ended, so that none of them is missed.
        for await (const [stored] of old.engine.entries('s/')) {
          const [record] = old.store.getMany([stored.slice(2)]);
          if (record && bucketOfServer(record.key) === bucket) moved.push(record);
        }
        if (ownerships[fromIndex]?.isValid) await old.store.remove(moved.map(record => record.key));
        next.engine.isLoading = true;
        const loaded = next.store.insertIfAbsent(moved.map(record => ({ ...record, record })));
        next.engine.isLoading = false;
        await loaded;
      }
      cluster.setOwner(key, `core-${to}`);
    },
  };
}
