import { keepInternalSecret } from '../runtime/internal-port.ts';
import { exitStatus } from '../runtime/lifecycle.ts';
import type { Logger } from '../runtime/log.ts';
import { DayQuota } from './access/day-quota.ts';
import { LastUse } from './access/last-use.ts';
import type { OwnCharges } from './access/own-charges.ts';
import { Tokens } from './access/tokens.ts';
import type { UnconfirmedServers } from './admission/unconfirmed-servers.ts';
import { bucketOfServer, SERVER_BUCKETS } from './cluster/buckets.ts';
import type { WriteHold } from './cluster/owner-table.ts';
import { type CoreConfig, storeError } from './core-settings.ts';
import { KeptKey } from './credentials/kept-key.ts';
import { ServerCredentials } from './credentials/server-credentials.ts';
import { EMBEDDED, type OpenedEngine, openEngine, storeDirectory } from './engine.ts';
import type { ChangeFeed } from './feed/change-feed.ts';
import type { KeptHistory } from './history/kept-history.ts';
import { type HandedStore, HandOver, HELD } from './migration/hand-over.ts';
import { openHistory } from './open-history.ts';
import { CorruptEntries } from './ops/corrupt-entries.ts';
import { GivenUpServers } from './servers/given-up-servers.ts';
import type { SharedBuckets } from './store/bucket-reader.ts';
import type { MovableEngine } from './store/copyable-engine.ts';
import type { HistoryPages } from './store/history/history-backup.ts';
import { EmbeddedServerStore } from './store/memory/embedded-server-store.ts';
import type { StorageEngine } from './store/storage-engine.ts';
import { StoreSupervisor, type StoreSupervisorDependencies } from './store/store-supervisor.ts';

/**
 * Length of a lease, ms. A lease is an order to a prober to probe one server. It lasts longer than the longest probe.
 * If the prober never reports a result, the server is leased again after this time.
 */
const LEASE_MS = 30_000;

/** Dependencies of `openStore`. */
export interface OpenStoreDependencies {
  config: CoreConfig;
  log: Logger;
  now: () => number;
  /** Returns the time of a monotonic clock in ms. */
  monotonic: () => number;
  /** Registry of tracked servers that have never answered. `openStore` adds such servers from the store. */
  unconfirmed: UnconfirmedServers;
  /** Change feed to which the store publishes the inserts and removals of servers. */
  feed: ChangeFeed;
  /**
   * Functions with which `StoreSupervisor` repairs the stored webhooks after failed writes. `compare` compares the
   * stored webhooks with the webhooks in memory. `writeDirty` repeats refused writes.
   */
  webhooks: Pick<StoreSupervisorDependencies, 'compare' | 'writeDirty'>;
  /** What this core needs to join the cluster of cores with the same store. Undefined for the embedded store. */
  member?: MemberOptions | undefined;
  /** Called with the key of every server that is removed. */
  onRemove(key: string): void;
}

/** What a core needs to join a cluster of cores with the same store. */
export interface MemberOptions {
  /** Address of the internal port, `host:port`, at which the other cores reach this core. */
  address: string;
  /**
   * Requests that this core has admitted, and that the lead has perhaps not counted yet. The lead is the core that
   * writes tokens and their usage. If this core becomes the lead, it counts these requests itself.
   */
  own: OwnCharges;
  /** Called once if this core must wait because a `gsq migrate` process uses the store. `user`: id of that process. */
  onWait(user: string): void;
}

/** The opened store, and all data that was read from it and checked. */
export interface OpenedStore {
  engine: StorageEngine;
  /**
   * The buckets (groups of servers) that this core owns; undefined for the embedded store, which belongs to one core.
   */
  ownership: OpenedEngine['ownership'];
  /**
   * Lets `gsq migrate` read the store and its history, to move them to another store. Undefined if several cores share
   * the store.
   */
  beginHandOver: (() => HandedStore) | undefined;
  supervisor: StoreSupervisor;
  history: KeptHistory;
  /**
   * Shared secret of the internal port. If there is no secret yet, the core creates one in its data directory. The core
   * opens the store first, so a core that cannot open the store creates no secret.
   */
  internalSecret: string;
  /** The key that encrypts the credentials of servers, and the URLs of webhooks. */
  key: KeptKey;
  store: EmbeddedServerStore;
  credentials: ServerCredentials;
  tokens: Tokens;
  quota: DayQuota;
  lastUse: LastUse;
  givenUp: GivenUpServers;
  corrupt: CorruptEntries;
}

/**
 * Opens the store of the data directory and reads all its data. Rejects with ConfigError if the store cannot be opened,
 * is in use by a different core process, or is damaged.
 */
export async function openStore(dependencies: OpenStoreDependencies): Promise<OpenedStore> {
  const { config, log, member } = dependencies;
  const directory = storeDirectory(config.GSQ_DATA_DIR);
  let supervisor: StoreSupervisor | undefined;
  const opened = await openEngine({
    store: config.GSQ_STORE,
    dataDirectory: config.GSQ_DATA_DIR,
    log,
    address: member?.address ?? '',
    onWait: user => member?.onWait(user),
    onFailure: error => supervisor?.noteFailure(error),
    onLost: error => endProcess(log, error, 'store: this core has lost its buckets, this process ends'),
  }).catch((error: unknown) => {
    throw storeError(config, error);
  });
  const { engine, ownership, movable } = opened;
  try {
    const internalSecret = keepInternalSecret(config);
    const corrupt = new CorruptEntries(log);
    const { history, pages } = openHistory(dependencies, opened);
    const buckets = ownership && sharedBuckets(engine);
    const loaded = await loadAll(engine, corrupt, history, buckets, dependencies);
    supervisor = superviseStore(engine, directory, loaded, dependencies);
    await supervisor.start();
    history.connectRecords(loaded.store);
    history.start();
    ownership?.watchHold(stopsWrites(engine, supervisor, loaded));
    const beginHandOver = movable && pages && handsOver(movable, pages, directory, supervisor, loaded);
    return { ...loaded, engine, ownership, beginHandOver, supervisor, history, internalSecret, corrupt };
  } catch (error) {
    await engine.close().catch(() => {});
    throw storeError(config, error);
  }
}

/**
 * Describes the buckets in a storage engine that several cores share: how to read them, their number, and the bucket of
 * each server.
 */
function sharedBuckets(engine: StorageEngine): SharedBuckets {
  return {
    reader: {
      async readBuckets(...request) {
        await engine.readBuckets?.(...request);
      },
    },
    bucketOf: bucketOfServer,
    count: SERVER_BUCKETS,
  };
}

type Loaded = Pick<OpenedStore, 'key' | 'store' | 'credentials' | 'tokens' | 'quota' | 'lastUse' | 'givenUp'>;

async function loadAll(
  engine: StorageEngine,
  corrupt: CorruptEntries,
  history: KeptHistory,
  buckets: SharedBuckets | undefined,
  { config, now, unconfirmed, feed, member, onRemove }: OpenStoreDependencies,
): Promise<Loaded> {
  const key = new KeptKey(config.GSQ_DATA_DIR);
  const credentials = await ServerCredentials.load(engine, config.GSQ_DATA_DIR, key, buckets);
  const store = await EmbeddedServerStore.load(engine, {
    now,
    probeIntervalMs: config.GSQ_PROBE_INTERVAL,
    leaseMs: LEASE_MS,
    maxServers: config.GSQ_MAX_SERVERS,
    unconfirmed,
    buckets,
    onInserted: server => feed.publishInsert(server),
    onListed: (before, after) => feed.publishListing(before, after),
    onRemoved: server => feed.publishRemoval(server),
    onRemove(keys) {
      for (const key of keys) onRemove(key);
      history.store.remove(keys);
      return credentials.dropAccess(keys);
    },
  });
  const own = member?.own;
  const tokens = await Tokens.load(engine, config.GSQ_DATA_DIR, own === undefined);
  const quota = await DayQuota.load(engine, now, corrupt.countEntry, own);
  const lastUse = await LastUse.load(engine, now, corrupt.countEntry, own);
  const givenUp = await GivenUpServers.load(engine, {
    now,
    most: config.GSQ_MAX_UNPROVEN,
    isTracked: key => store.getMany([key])[0] !== undefined,
    onCorrupt: corrupt.countEntry,
    buckets,
  });
  // Without a cluster, all data is loaded now. In a cluster, `Ownership` calls `finishLoading` later: when this core
  // acquires the buckets with the tokens and webhooks.
  if (!buckets) await engine.finishLoading();
  return { key, store, credentials, tokens, quota, lastUse, givenUp };
}

/**
 * Creates the supervisor of the store, which watches free disk space and failed writes. The supervisor ends the process
 * if acknowledged writes are lost.
 */
function superviseStore(
  engine: StorageEngine,
  directory: string,
  { store, credentials, tokens }: Loaded,
  { config, log, webhooks }: OpenStoreDependencies,
): StoreSupervisor {
  return new StoreSupervisor({
    engine,
    directory,
    // With Redis or Valkey, there is no minimum of free disk space, because the data is then not on the disk of the
    // core.
    minFreeBytes: config.GSQ_STORE === EMBEDDED ? config.GSQ_MIN_FREE_SPACE : 0,
    compare: async () => [
      ...(await store.compare()),
      ...(await credentials.compare()),
      ...(await tokens.compare()),
      ...(await webhooks.compare()),
    ],
    async writeDirty() {
      await store.writeDirty();
      await webhooks.writeDirty();
    },
    log,
    onLost: error => endProcess(log, error, 'store: acknowledged writes are lost, the process ends'),
  });
}

/** Returns a function that stops the writes of this core, so that `gsq migrate` can read the last changes. */
function stopsWrites(
  engine: StorageEngine,
  supervisor: StoreSupervisor,
  { store }: Loaded,
): (hold: WriteHold | undefined) => Promise<void> {
  let current: WriteHold | undefined;
  return async hold => {
    current = hold;
    if (!hold) return supervisor.hold(undefined);
    // Stores the changes that are only in memory, before `gsq migrate` reads the store. Stores nothing if `gsq migrate`
    // has already moved the data to another store, because the old store then accepts no changes.
    if (hold.kind === 'held') await store.writeBehind().catch(() => {});
    if (current !== hold) return;
    supervisor.hold(hold.kind === 'held' ? HELD.window : HELD.moved);
    // If a recovery from a failed write is running, waits for its end. A recovery writes even while the store refuses
    // all other writes.
    await supervisor.check();
    await engine.drain?.();
  };
}

function handsOver(
  engine: MovableEngine,
  history: HistoryPages,
  directory: string,
  supervisor: StoreSupervisor,
  { store }: Loaded,
): () => HandedStore {
  const hold = (reason: string | undefined): void => supervisor.hold(reason);
  const name = `the store in ${directory}`;
  const writeBehind = (): Promise<void> => store.writeBehind();
  return () => ({ store: new HandOver({ engine, name, isLive: true, hold, writeBehind }), history });
}

/** Ends the process immediately, and does not wait for calls in flight: the store must not be used any more. */
export function endProcess(log: Logger, error: Error, message: string): never {
  log.fatal({ err: error }, message);
  process.exit(exitStatus.failed);
}
