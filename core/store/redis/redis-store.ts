import type { Logger } from '../../../runtime/log.ts';
import { Mutex } from '../../../runtime/mutex.ts';
import { bucketOf, isAccountBucket } from '../../cluster/buckets.ts';
import type { BucketStore, TakenBuckets } from '../../cluster/table-ownership.ts';
import type { CopyableEngine } from '../copyable-engine.ts';
import { GroupCommit } from '../group-commit.ts';
import { NoWrites } from '../no-writes.ts';
import { SCHEMA } from '../schema.ts';
import type { CountedPut, Operation, StoredEntry, WrittenGroup } from '../storage-engine.ts';
import { StoreDamage } from '../store-damage.ts';
import { BucketCalls, FenceDiffers, repeat } from './bucket-calls.ts';
import { BucketReads } from './bucket-reads.ts';
import { hardWrites, type QueuedWrite, queuedWrite } from './bucket-writes.ts';
import { checkEngine } from './check-engine.ts';
import { connectionOptions } from './connection-options.ts';
import { explain, openError } from './engine-errors.ts';
import { EngineNodes } from './engine-nodes.ts';
import { type EngineUrl, parseEngineUrl } from './engine-url.ts';
import type { OwnershipLost } from './fence.ts';
import { NotOwned, OwnedBuckets, RETRY_MS, SCHEMA_KEY, type Written } from './owned-buckets.ts';

/**
 * Limits of a group of appended operations, which are written together. The longer a group waits, the more writes of one
 * bucket share a script. A kill of this process loses the results of the probes of this time.
 */
const GROUP_LIMITS = { operations: 10_000, delayMs: 2_000 };
const ACCOUNT_DELAY_MS = 50; // An entry of an account, for example a delivery of a webhook, does not wait longer.
/** Maximum number of operations that `RedisStore.recover` writes at once. */
const RECOVERY_BATCH = 10_000;
const NOTHING: Written = { winners: new Map(), unowned: new Set() };

export interface RedisStoreOptions {
  /** URL of the Redis or Valkey: see `parseEngineUrl`. */
  url: string;
  /** Id of this core process. Different processes must have different ids. */
  owner: string;
  log: Logger;
  /** Called when a write to Redis or Valkey fails. The store then refuses all writes until `recover` has succeeded. */
  onFailure(error: Error): void;
  /** Called once when a newer owner has taken over a bucket of this process. The process must then end. */
  onLost(error: OwnershipLost): void;
  /** Called when the store is closed and writes nothing more. `close` waits for the promise. */
  onClosed?(): Promise<void>;
}

/**
 * A storage engine on Redis or Valkey, a cluster or a single node. The entries are spread over buckets. In each bucket
 * a fence names the owner. Writes to a bucket are refused if its fence is not the one of this process. At the beginning,
 * the process owns no bucket; `takeBuckets` adds some.
 */
export class RedisStore implements CopyableEngine, BucketStore {
  readonly #shown: string;
  readonly #owned: OwnedBuckets;
  /** Recoveries and changes of the owned buckets run one after another. */
  readonly #changes = new Mutex();
  readonly #nodes: EngineNodes;
  readonly #calls: BucketCalls;
  readonly #reads: BucketReads;
  readonly #groups: GroupCommit<QueuedWrite, Written>;
  readonly #onFailure: (error: Error) => void;
  readonly #onLost: (error: OwnershipLost) => void;
  readonly #onClosed: () => Promise<void>;
  #onWritten: (write: WrittenGroup) => void = () => {};
  /** The error with which this store refuses writes for ever, because it is closed or a newer owner has taken over. */
  #end: NoWrites | undefined;
  /** The error with which this store refuses writes after a failed write, until `recover` has succeeded. */
  #failure: NoWrites | undefined;
  /** The error with which this store refuses writes while its user has paused them (`pause`). */
  #pause: NoWrites | undefined;
  #fencedWrites = 0;

  private constructor(url: EngineUrl, { owner, log, onFailure, onLost, onClosed }: RedisStoreOptions) {
    this.#shown = url.shown;
    this.#onFailure = onFailure;
    this.#onLost = onLost;
    this.#onClosed = onClosed ?? (async () => {});
    this.#nodes = new EngineNodes({ seeds: url.seeds, options: connectionOptions(url), log });
    this.#calls = new BucketCalls(this.#nodes, () => ({
      replicas: url.replicas ?? (this.#nodes.isCluster ? 1 : 0),
      aof: url.aof,
    }));
    this.#reads = new BucketReads(this.#nodes, this.#calls);
    this.#owned = new OwnedBuckets({ calls: this.#calls, reads: this.#reads, owner, shown: url.shown });
    this.#groups = new GroupCommit<QueuedWrite, Written>(GROUP_LIMITS, {
      write: (queued, _sync, done) => {
        this.#owned.write(queued).then(
          written => done(undefined, written),
          (error: Error) => done(error, NOTHING),
        );
      },
      onWritten: write => this.#onWritten(write),
      onFailure: cause => this.#fail(cause),
    });
  }

  /**
   * Connects to Redis or Valkey, and changes nothing there. Rejects with EngineUrlError, UnusableEngine, NewerStore,
   * StoreDamage, or an Error whose message contains the address of the Redis or Valkey. No error contains the password.
   */
  static async open(options: RedisStoreOptions): Promise<RedisStore> {
    const url = parseEngineUrl(options.url);
    const store = new RedisStore(url, options);
    try {
      const check = () => checkEngine(store.#nodes, url.aof, options.log);
      await repeat(() => store.#nodes.refresh().then(check), performance.now() + RETRY_MS);
      // A release of gsq that cannot read the data must not take buckets away from a newer release.
      await store.#owned.checkSchema();
      return store;
    } catch (error) {
      store.#nodes.close();
      throw openError(error, url.shown);
    }
  }

  /** Number of refused writes, each to one bucket, because the fence of the bucket names a different owner. */
  get fencedWrites(): number {
    return this.#fencedWrites;
  }

  get refusal(): NoWrites | undefined {
    return this.#end ?? this.#failure ?? this.#pause;
  }

  get failed(): boolean {
    return this.#end === undefined && this.#failure !== undefined;
  }

  takeBuckets(buckets: readonly number[], epoch: number): Promise<TakenBuckets> {
    return this.#changes.run(() => this.#owned.take(buckets, epoch));
  }

  dropBuckets(buckets: readonly number[]): Promise<void> {
    return this.#changes.run(async () => {
      // An error is ignored, because `onFailure` has reported it. Only operations for which nobody waits can be lost.
      await this.#groups.commit([]).catch(() => {});
      this.#owned.drop(buckets);
    });
  }

  /**
   * Visits all entries of accounts, and those of servers in buckets that this process owns now: see `StorageEngine`.
   */
  readAll(prefix: string, visit: (key: string, value: Buffer) => void): Promise<void> {
    return this.#reads.visitAll(prefix, this.#owned.all, (key, value) => {
      if (key !== SCHEMA_KEY) visit(key, value);
    });
  }

  readBuckets(
    buckets: readonly number[],
    prefix: string,
    visit: (key: string, value: Buffer) => void,
  ): Promise<void> {
    return this.#reads.visitBuckets(buckets, prefix, (key, value) => {
      if (key !== SCHEMA_KEY) visit(key, value);
    });
  }

  async *entries(prefix: string, after = ''): AsyncGenerator<StoredEntry, undefined> {
    for await (const entry of this.#reads.entries(prefix, after)) if (entry[0] !== SCHEMA_KEY) yield entry;
  }

  async *pieces(): AsyncGenerator<readonly StoredEntry[], undefined> {
    for await (const piece of this.#reads.pieces()) yield piece.filter(([key]) => key !== SCHEMA_KEY);
  }

  getMany(keys: readonly string[]): Promise<Map<string, Buffer>> {
    return this.#reads.getMany(keys);
  }

  /** Rejects with NotOwned if this process does not own the bucket of an entry. */
  async insertIfAbsent(entries: readonly CountedPut[]): Promise<ReadonlyMap<string, Buffer>> {
    const inserts = entries.map(operation => queuedWrite(operation, 'insert'));
    const winners = await this.#commit(inserts);
    const own = new Map<string, Buffer>();
    for (const insert of inserts) {
      const winner = winners.get(insert);
      if (winner) own.set(insert.operation.key, winner);
    }
    return own;
  }

  /** Rejects with NotOwned if this process does not own the bucket of an operation. */
  async commit(operations: readonly Operation[]): Promise<void> {
    await this.#commit(hardWrites(operations));
  }

  /** Also returns false if this process does not own the bucket of the operation. */
  append(operation: Operation): boolean {
    const write = queuedWrite(operation, 'soft');
    const delayMs = isAccountBucket(write.bucket) ? ACCOUNT_DELAY_MS : GROUP_LIMITS.delayMs;
    return this.refusal === undefined && this.#owns(write) && this.#groups.append(write, delayMs);
  }

  /**
   * Does nothing: this store has no digest of its entries to verify. The nodes of Redis or Valkey verify their own
   * files and copies. A digest of all entries would need one more write with each group of writes, and all these writes
   * would go to the same node.
   */
  verify(): void {}

  /** Does nothing, because a store on Redis or Valkey keeps no digests. */
  resetDigest(): void {}

  damage(what: string): StoreDamage {
    return new StoreDamage(this.#shown, what);
  }

  /**
   * Stores the version of the store format, if this process owns the accounts. Until then, the previous release of gsq
   * can still open the store.
   */
  async finishLoading(): Promise<void> {
    const write = queuedWrite({ type: 'put', key: SCHEMA_KEY, value: Buffer.from(String(SCHEMA)) }, 'hard');
    if (this.#owned.schema === SCHEMA || !this.#owns(write)) return;
    await this.#commit([write]);
    this.#owned.schema = SCHEMA;
  }

  pause(reason: string | undefined): void {
    this.#pause = reason === undefined ? undefined : new NoWrites(reason);
  }

  /**
   * Does what `StorageEngine.recover` says, for the buckets that this process owns. They do not change meanwhile.
   * Ignores operations on other buckets: for example, `compare` also compares tokens, but perhaps another core owns them.
   */
  recover(compare: () => Promise<Operation[]>): Promise<void> {
    return this.#changes.run(() => this.#recover(compare));
  }

  async areFilesGone(): Promise<boolean> {
    return false;
  }

  watchWrites(onWritten: (write: WrittenGroup) => void): void {
    this.#onWritten = onWritten;
  }

  async close(): Promise<void> {
    this.#end ??= new NoWrites('the store is closed');
    await this.#groups.drain();
    this.#nodes.close();
    await this.#onClosed();
  }

  async #commit(queued: readonly QueuedWrite[]): Promise<Written['winners']> {
    if (this.refusal) throw this.refusal;
    const foreign = queued.find(write => !this.#owns(write));
    if (foreign) throw new NotOwned(foreign);
    const { winners, unowned } = await this.#groups.commit(queued);
    const lost = queued.find(write => unowned.has(write));
    if (lost) throw new NotOwned(lost);
    return winners;
  }

  #owns({ bucket }: QueuedWrite): boolean {
    return this.#owned.has(bucket);
  }

  async #recover(compare: () => Promise<Operation[]>): Promise<void> {
    if (!this.failed) return;
    try {
      await this.#nodes.refresh();
      // Raising the fences also shows whether every master accepts writes. If Redis or Valkey has lost its data, it
      // gets new fences here, and `compare` returns everything that is missing.
      await this.#owned.raiseAgain();
      const operations = (await compare()).filter(({ key }) => this.#owned.has(bucketOf(key)));
      for (let from = 0; from < operations.length; from += RECOVERY_BATCH)
        await this.#owned.write(hardWrites(operations.slice(from, from + RECOVERY_BATCH)));
    } catch (error) {
      this.#noteFences(error);
      throw error;
    }
    this.#failure = undefined;
  }

  /** Handles a failed write: rejects all queued writes, and refuses later ones. */
  #fail(cause: Error): void {
    if (this.#noteFences(cause)) {
      this.#groups.rejectAll(this.#end ?? new NoWrites(cause.message));
      return;
    }
    const failure = new NoWrites(`a write failed, so the store accepts no more writes: ${explain(cause)}`);
    this.#failure = failure;
    this.#groups.rejectAll(failure);
    this.#onFailure(failure);
  }

  /** Counts the refused writes if `error` is FenceDiffers. Returns true if a newer owner has taken over a bucket. */
  #noteFences(error: unknown): boolean {
    if (!(error instanceof FenceDiffers)) return false;
    this.#fencedWrites += error.refused.length;
    const lost = this.#owned.lostBy(error);
    if (!lost) return false;
    this.#end = new NoWrites(lost.message);
    this.#onLost(lost);
    return true;
  }
}
