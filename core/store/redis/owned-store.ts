import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '../../../runtime/log.ts';
import { BucketAssignment } from '../../cluster/bucket-assignment.ts';
import { ALL_BUCKETS } from '../../cluster/buckets.ts';
import { LeaseLost, type MemberClock, Membership } from '../../cluster/membership.ts';
import { StoreInUse } from '../../cluster/owner-table.ts';
import type { Member } from '../../cluster/ownership.ts';
import { TableOwnership } from '../../cluster/table-ownership.ts';
import type { BlobStore } from '../history-blobs/blob-store.ts';
import { StoreMoved } from '../migration-marker.ts';
import { EngineBlobs } from './engine-blobs.ts';
import { openError } from './engine-errors.ts';
import { EngineOwnerTable } from './engine-owner-table.ts';
import { parseEngineUrl } from './engine-url.ts';
import { RedisStore } from './redis-store.ts';
import type { RedisStoreOptions } from './redis-store-options.ts';
import { isTemporary } from './repetition.ts';
import { StoreHold } from './store-hold.ts';

/** Time between two attempts to join the cluster, in milliseconds. */
const ATTEMPT_MS = 500;

/** Error if another process uses the store, and this process does not want to wait longer (see `patience`). */
export class OwnedElsewhere extends Error {
  override name = 'OwnedElsewhere';
  /** Id of the other process that uses the store. */
  readonly user: string;

  /** `store`: URL of the storage engine without secrets. */
  constructor(store: string, user: string) {
    super(`the store at ${store} is in use by ${user}`);
    this.user = user;
  }
}

/** A lock on the data directory of a core. */
export interface MemberLock {
  /**
   * Id of the previous core process with this data directory, which has ended for certain. This core takes the buckets
   * of that process at once. Undefined if there is no proof that the process has ended.
   */
  readonly former: string | undefined;
  release(): Promise<void>;
}

/** Options of `openOwnedStore`. A core calls this function to join the cluster and to open its store. */
export interface OwnedStoreOptions {
  /** URL of the storage engine: see `parseEngineUrl`. */
  url: string;
  /**
   * Address of this core for the other cores, `host:port`. It should stay the same after a restart: a core with the
   * same address gets the same buckets (groups of servers).
   */
  address: string;
  /**
   * Locks the data directory of this core, and stores `id`, the id of this process, in it. Resolves to undefined if the
   * directory cannot be locked.
   */
  lock(id: string): Promise<MemberLock | undefined>;
  log: Logger;
  /** Called once if this core must wait because `gsq migrate` uses the store. `user`: id of that other process. */
  onWait(user: string): void;
  /** Called when a write fails. The store then refuses all writes until `recover` has succeeded. */
  onFailure(error: Error): void;
  /** Called once if this core has lost its lease (membership in the cluster) or a bucket. The process must end. */
  onLost(error: Error): void;
}

/** A store on Redis or Valkey that several cores share, and the buckets of this core. */
export interface OwnedStore {
  store: RedisStore;
  /**
   * `ownership.start` begins to acquire buckets for this core. `ownership.close` gives the buckets to other cores. Call
   * `ownership.close` before you close the store, because it still needs the store.
   */
  ownership: TableOwnership;
  /** The store for the history of the servers. */
  blobs: BlobStore;
}

/**
 * Opens a store on Redis or Valkey as a member of the cluster of cores. Closing the store ends the membership.
 *
 * Waits while `gsq migrate` uses the store, or while the storage engine cannot be reached. Rejects with EngineUrlError
 * if the URL is not valid, or with the errors of `RedisStore.open`.
 */
export async function openOwnedStore(options: OwnedStoreOptions): Promise<OwnedStore> {
  const self = { id: processId(), address: options.address };
  const lock = await options.lock(self.id);
  const patience = (): number => Number.POSITIVE_INFINITY;
  const { store, membership } = await open({ ...options, patience }, self, 'joined', lock);
  const warn = (message: string, error: unknown): void => options.log.warn({ err: error }, message);
  const assignment = new BucketAssignment();
  const ownership = new TableOwnership({ membership, store, assignment, former: lock?.former, warn });
  return { store, ownership, blobs: new EngineBlobs(store.buckets) };
}

/** Options of `openStoreAlone`, which opens a store for one process alone. */
export interface StoreAloneOptions extends Omit<OwnedStoreOptions, 'address' | 'lock' | 'onWait'> {
  /** Prefix of the id of this process, for example `gsq-migrate:`. */
  program: string;
  /**
   * Returns the maximum time to wait until this process can use the store, in milliseconds. `user`: id of the other
   * process that uses the store; undefined if the wait has a different reason: the storage engine cannot be reached.
   */
  patience(user: string | undefined): number;
}

/** A store on Redis or Valkey that `gsq migrate` uses. */
export interface MigratedStore {
  store: RedisStore;
  /** Reads and changes the stored note that says that the data was moved to another store. */
  moving: Pick<EngineOwnerTable, 'moved' | 'move' | 'unmove'>;
  /** The history of the servers. */
  blobs: BlobStore;
}

/**
 * Opens a store on Redis or Valkey, with all its buckets, for this process alone. If other processes still use the
 * store after `options.patience()` ms, rejects with OwnedElsewhere. Other errors are the same as those of
 * `openOwnedStore`.
 */
export async function openStoreAlone(options: StoreAloneOptions): Promise<MigratedStore> {
  const self = { id: options.program + processId(), address: 'none' };
  const { store, membership, table } = await open({ ...options, onWait: () => {} }, self, 'alone');
  try {
    await takeAll(store, membership);
    return { store, moving: table, blobs: new EngineBlobs(store.buckets) };
  } catch (error) {
    await store.close();
    throw openError(error, parseEngineUrl(options.url).shown);
  }
}

/**
 * Opens a store on Redis or Valkey for reading while cores use it. The returned `hold` can stop the writes of the
 * cores. Rejects like `RedisStore.open`.
 */
export async function openStoreShared({
  url,
  log,
  program,
}: Pick<StoreAloneOptions, 'url' | 'log' | 'program'>): Promise<
  Pick<MigratedStore, 'store' | 'blobs'> & { hold: StoreHold }
> {
  const self = { id: program + processId(), address: 'none' };
  // Ignores failed writes and lost buckets: this process only reads, and owns no bucket.
  const ignore = (): void => {};
  const store = await RedisStore.open({
    ...{ url, log, owner: self.id, readsAll: true },
    ...{ onFailure: ignore, onLost: ignore },
  });
  const hold = new StoreHold(new EngineOwnerTable(parseEngineUrl(url), self, log));
  return { store, blobs: new EngineBlobs(store.buckets), hold };
}

/** Acquires all buckets for this process, which must be the only member of the cluster. */
async function takeAll(store: RedisStore, membership: Membership): Promise<void> {
  const all = Array.from({ length: ALL_BUCKETS }, (_, bucket) => bucket);
  for (let above = 0; !membership.isEnded; ) {
    const { epoch, buckets } = await membership.call(table => table.claim(all, above));
    if (buckets.length < all.length) {
      // Waits and tries again: in the first seconds after a failover, no process can acquire buckets.
      await delay(ATTEMPT_MS);
      continue;
    }
    const taken = await store.takeBuckets(buckets, epoch);
    if (taken.kind === 'taken') return;
    if (taken.kind === 'failed') throw taken.error;
    above = taken.epoch;
  }
  throw new LeaseLost('the lease ended before this process owned all buckets');
}

type OpenOptions = Omit<OwnedStoreOptions, 'address' | 'lock'> & Pick<StoreAloneOptions, 'patience'>;

/** Joins the cluster and opens the store, without any bucket. Closing the store ends the membership. */
async function open(
  options: OpenOptions,
  self: Member,
  state: 'joined' | 'alone',
  lock?: MemberLock,
): Promise<{ store: RedisStore; membership: Membership; table: EngineOwnerTable }> {
  const { url, log, onFailure } = options;
  let isLost = false;
  const onLost = (error: Error): void => {
    if (!isLost) options.onLost(error);
    isLost = true;
  };
  const table = new EngineOwnerTable(parseEngineUrl(url), self, log);
  const membership = await join(table, { ...options, onLost }, self, state).catch(async (error: unknown) => {
    table.close();
    await lock?.release();
    throw error;
  });
  const onClosed = async (): Promise<void> => {
    await membership.leave();
    table.close();
    await lock?.release();
  };
  try {
    const opening = { url, owner: self.id, log, onFailure, onLost, onClosed };
    return { store: await openWhenReachable(opening, options.patience), membership, table };
  } catch (error) {
    await onClosed();
    throw error;
  }
}

/**
 * Opens the store. Tries again while a node of the storage engine cannot be reached. `patience`: see
 * `StoreAloneOptions`.
 */
async function openWhenReachable(
  options: RedisStoreOptions,
  patience: StoreAloneOptions['patience'],
): Promise<RedisStore> {
  const began = performance.now();
  for (let isAway = false; ; isAway = true) {
    try {
      return await RedisStore.open(options);
    } catch (error) {
      const isOver = performance.now() - began >= patience(undefined);
      if (isOver || !(error instanceof Error) || !isTemporary(error.cause)) throw error;
      if (!isAway)
        options.log.warn({ err: error }, 'store: the storage engine cannot be reached; trying again');
      await delay(ATTEMPT_MS);
    }
  }
}

/**
 * Joins the cluster. Tries again while another process, such as `gsq migrate`, forbids it, or while the storage engine
 * cannot be reached.
 */
async function join(
  table: EngineOwnerTable,
  { url, log, onWait, patience, onLost }: OpenOptions,
  self: Member,
  state: 'joined' | 'alone',
): Promise<Membership> {
  const { shown } = parseEngineUrl(url);
  const first = performance.now();
  let isWaiting = false;
  let isAway = false;
  for (;;) {
    const began = performance.now();
    const renewal = await table.renew(state, '', '').catch((error: Error) => error);
    if (!(renewal instanceof Error))
      return new Membership(
        { self, state, table, clock: CLOCK, onLost, onPaused: isPaused => logPause(log, isPaused) },
        renewal,
        began,
      );
    const user = renewal instanceof StoreInUse ? renewal.user : undefined;
    const isOver = performance.now() - first >= patience(user);
    if (user === undefined) {
      if (renewal instanceof StoreMoved) throw renewal;
      if (isOver || !isTemporary(renewal))
        throw new Error(`the store at ${shown} cannot be opened: ${renewal.message}`, { cause: renewal });
      if (!isAway) log.warn({ err: renewal }, 'store: the storage engine cannot be reached; trying again');
    } else {
      if (isOver) throw new OwnedElsewhere(shown, user);
      if (!isWaiting) onWait(user);
      isWaiting = true;
    }
    isAway = user === undefined;
    await delay(ATTEMPT_MS);
  }
}

function logPause(log: Logger, isPaused: boolean): void {
  if (isPaused)
    log.warn('store: the lease of this core could not be renewed in time, fetches of its servers wait');
  else log.info('store: the lease of this core is renewed, its servers are served again');
}

const CLOCK: MemberClock = {
  now: () => performance.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};

/**
 * Returns a new id for this process. It begins with the name of the machine, so that logs show where the owner of a
 * bucket runs.
 */
function processId(): string {
  const machine = hostname()
    .replace(/[^\w.-]/g, '_')
    .slice(0, 64);
  return `${machine}/${process.pid}/${randomBytes(8).toString('hex')}`;
}
