import { Mutex } from '../../../runtime/mutex.ts';
import type { BucketStore, TakenBuckets } from '../../cluster/bucket-store.ts';
import { bucketOf } from '../../cluster/buckets.ts';
import type { CopyableEngine } from '../copyable-engine.ts';
import { GroupCommit } from '../group-commit.ts';
import { NoWrites } from '../no-writes.ts';
import { SCHEMA } from '../schema.ts';
import type { CountedPut, Operation, StoredEntry, WrittenGroup } from '../storage-engine.ts';
import { StoreDamage } from '../store-damage.ts';
import { BucketCalls, FenceDiffers } from './bucket-calls.ts';
import { BucketReads, EVERY_BUCKET } from './bucket-reads.ts';
import { hardWrites, type QueuedWrite, queuedWrite } from './bucket-writes.ts';
import { checkEngine } from './check-engine.ts';
import { connectionOptions } from './connection-options.ts';
import type { BucketAccess } from './engine-blobs.ts';
import { explain, openError } from './engine-errors.ts';
import { EngineNodes } from './engine-nodes.ts';
import { type EngineUrl, parseEngineUrl } from './engine-url.ts';
import { NotOwned, OwnedBuckets, RETRY_MS, SCHEMA_KEY, type Written } from './owned-buckets.ts';
import type { RedisStoreOptions } from './redis-store-options.ts';
import { repeat } from './repetition.ts';

/**
 * Limits for a group of operations for which no caller waits. The group is written when it contains `operations`
 * operations, or after `delayMs` ms.
 */
const GROUP_LIMITS = { operations: 1_000, delayMs: 50 };
/** Maximum number of operations that `RedisStore.recover` writes at once. */
const RECOVERY_BATCH = 10_000;
const NOTHING: Written = { winners: new Map(), unowned: new Set() };

/**
 * A storage engine on Redis or Valkey. Only the process that owns a bucket (group of entries) can write to this
 * bucket. A new store object owns no bucket. This file has more than 300 lines, because its methods share private
 * fields.
 */
export class RedisStore implements CopyableEngine, BucketStore {
  readonly #shown: string;
  readonly #options: RedisStoreOptions;
  readonly #owned: OwnedBuckets;
  /**
   * Lock for two tasks that must not run at the same time: a recovery, and a change of the set of owned buckets
   * (groups of servers).
   */
  readonly #changes = new Mutex();
  readonly #nodes: EngineNodes;
  readonly #calls: BucketCalls;
  readonly #reads: BucketReads;
  readonly #groups: GroupCommit<QueuedWrite, Written>;
  #onWritten: (write: WrittenGroup) => void = () => {};
  /**
   * The error with which this store permanently refuses writes, because it is closed or has lost a bucket to a newer
   * owner.
   */
  #end: NoWrites | undefined;
  /** The error with which this store refuses writes after a failed write, until `recover` has succeeded. */
  #failure: NoWrites | undefined;
  /** The error for writes that this store refuses while writes are paused (see `pause`). Undefined at other times. */
  #pause: NoWrites | undefined;
  #fencedWrites = 0;

  private constructor(url: EngineUrl, options: RedisStoreOptions) {
    const { owner, log } = options;
    this.#options = options;
    this.#shown = url.shown;
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
   * StoreDamage, or an Error with the address of the server. No error contains the password.
   */
  static async open(options: RedisStoreOptions): Promise<RedisStore> {
    const url = parseEngineUrl(options.url);
    const store = new RedisStore(url, options);
    try {
      const check = () => checkEngine(store.#nodes, url.aof, options.log);
      await repeat(() => store.#nodes.refresh().then(check), performance.now() + RETRY_MS);
      // Rejects if the stored data has the format of a newer release, which this release of gsq cannot read.
      await store.#owned.checkSchema();
      return store;
    } catch (error) {
      store.#nodes.close();
      throw openError(error, url.shown);
    }
  }

  /** The interface with which the history reads and writes the buckets (groups of entries) of this store. */
  get buckets(): BucketAccess {
    return {
      fenceOf: bucket => (this.#end ? undefined : this.#owned.fenceOf(bucket)),
      run: work =>
        work(this.#calls).catch((error: unknown) => {
          this.#noteFences(error);
          throw error;
        }),
    };
  }

  /** Number of writes that were refused because a bucket did not have this process's fence (owner mark). */
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

  checkBuckets(): Promise<void> {
    // Does not wait for replicas: after a failover, a master often has none, and requests for servers wait for this
    // check.
    return this.#changes.run(() => this.#notingFences(() => this.#owned.raiseAgain(false)));
  }

  canWrite(buckets: readonly number[]): Promise<boolean> {
    return this.#changes
      .run(() => this.#notingFences(() => this.#owned.checkWrites(buckets)))
      .then(
        () => this.refusal === undefined,
        () => false,
      );
  }

  dropBuckets(buckets: readonly number[]): Promise<void> {
    return this.#changes.run(async () => {
      // An error of `drain` is ignored, because `onFailure` has already reported the failed write.
      await this.drain().catch(() => {});
      this.#owned.drop(buckets);
    });
  }

  /** Resolves when all queued writes are durable. Rejects if they fail. A pause of writes affects only new writes. */
  async drain(): Promise<void> {
    await this.#groups.commit([]);
  }

  /**
   * Implements `StorageEngine.readAll`. Visits the entries of all accounts (tokens and webhooks), but only the servers
   * in owned buckets. With the option `readsAll`, visits all servers.
   */
  readAll(prefix: string, visit: (key: string, value: Buffer) => void): Promise<void> {
    const servers = this.#options.readsAll ? EVERY_BUCKET : this.#owned.all;
    return this.#reads.visitAll(prefix, servers, (key, value) => {
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

  /**
   * Implements `StorageEngine.insertIfAbsent`. Rejects with NotOwned if this process does not own the bucket of an
   * entry.
   */
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

  /**
   * Implements `StorageEngine.commit`. Rejects with NotOwned if this process does not own the bucket that an operation
   * changes.
   */
  async commit(operations: readonly Operation[]): Promise<void> {
    await this.#commit(hardWrites(operations));
  }

  /**
   * Implements `StorageEngine.append`. Returns false if the store refuses writes, if its queue is full, or if this
   * process does not own the bucket with this entry.
   */
  append(operation: Operation): boolean {
    const write = queuedWrite(operation, 'soft');
    return this.refusal === undefined && this.#owns(write) && this.#groups.append(write);
  }

  /**
   * Does not check the loaded entries, because Redis and Valkey verify their own files and copies. For a check, gsq
   * would need a digest of the entries, and would have to write it with each group of writes.
   */
  verify(): void {}

  /** Does nothing: a store on Redis or Valkey keeps no digest (checksum of its entries) that could be reset. */
  resetDigest(): void {}

  damage(what: string): StoreDamage {
    return new StoreDamage(this.#shown, what);
  }

  /**
   * Stores the format version of this release. Earlier releases of gsq with an older format then cannot open the store.
   * Does nothing if this version is already stored, or if this core does not own the bucket with the version.
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
   * Implements `StorageEngine.recover` for the buckets (groups of entries) that this process owns. Ignores operations
   * on other buckets. The set of owned buckets does not change during the recovery.
   */
  recover(compare: () => Promise<Operation[]>): Promise<void> {
    return this.#changes.run(() => this.#notingFences(() => this.#recover(compare)));
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
    await this.#options.onClosed?.();
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
    await this.#nodes.refresh();
    // Writes the fences (owner marks) of all owned buckets again, because the storage engine may have lost some. If a
    // master server still refuses writes, the recovery fails here, before it compares the records.
    await this.#owned.raiseAgain(true);
    const operations = (await compare()).filter(({ key }) => this.#owned.has(bucketOf(key)));
    for (let from = 0; from < operations.length; from += RECOVERY_BATCH)
      await this.#owned.write(hardWrites(operations.slice(from, from + RECOVERY_BATCH)));
    this.#failure = undefined;
  }

  /** Runs `work`, which writes fences (owner marks). Calls `#noteFences` with its error, and rejects with this error. */
  async #notingFences(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#noteFences(error);
      throw error;
    }
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
    this.#options.onFailure(failure);
  }

  /**
   * Counts writes that were refused because of a wrong fence (owner mark of a bucket). If a bucket has a newer owner,
   * ends this store and returns true.
   */
  #noteFences(error: unknown): boolean {
    if (!(error instanceof FenceDiffers)) return false;
    this.#fencedWrites += error.refused.length;
    const lost = this.#owned.lostBy(error);
    if (!lost) return false;
    this.#end = new NoWrites(lost.message);
    this.#options.onLost(lost);
    return true;
  }
}
