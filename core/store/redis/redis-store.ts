import type { Logger } from '../../../runtime/log.ts';
import type { CopyableEngine } from '../copyable-engine.ts';
import { GroupCommit } from '../group-commit.ts';
import { NoWrites } from '../no-writes.ts';
import { SCHEMA } from '../schema.ts';
import type { CountedPut, Operation, StoredEntry, WrittenGroup } from '../storage-engine.ts';
import { NewerStore, StoreDamage } from '../store-damage.ts';
import { BucketCalls, FenceDiffers, repeat } from './bucket-calls.ts';
import { BucketReads } from './bucket-reads.ts';
import { type QueuedWrite, readWinners, writesOf } from './bucket-writes.ts';
import { checkEngine, UnusableEngine } from './check-engine.ts';
import { connectionOptions } from './connection-options.ts';
import { EngineReplyError } from './engine-connection.ts';
import { EngineNodes } from './engine-nodes.ts';
import { type EngineUrl, EngineUrlError, parseEngineUrl } from './engine-url.ts';
import { type Fence, fenceOf, isNewer, OwnershipLost } from './fence.ts';
import { raiseFences } from './raise-fences.ts';

/**
 * Time for which a write is repeated if the storage engine is not available, in milliseconds. It is longer than a
 * failover of the engine (about 5 s with `cluster-node-timeout` 3 s) and shorter than GSQ_REQUEST_TIMEOUT.
 */
const RETRY_MS = 8_000;
/**
 * Limits of a group of appended operations, which are written together. At 5,000 status writes a second, groups of 50 ms
 * take 35 % less CPU time of the masters, and 40 % less of this process, than groups of 5 ms (test/engines/write-cost.ts).
 */
const GROUP_LIMITS = { operations: 1_000, delayMs: 50 };
/** Maximum number of operations that `RedisStore.recover` writes at once. */
const RECOVERY_BATCH = 10_000;
/** Key of the entry with the version of the store format, in decimal. `readAll` and `entries` leave it out. */
const SCHEMA_KEY = 'm/state';

/** Inserts of entries that were already stored with a different value, each with the stored value. */
type Winners = ReadonlyMap<QueuedWrite, Buffer>;

export interface RedisStoreOptions {
  /** URL of the Redis or Valkey: see `parseEngineUrl`. */
  url: string;
  /** Number of this ownership of the store. It must be higher than the epochs of all earlier owners. */
  epoch: number;
  /** Id of this core process. Different processes must have different ids. */
  owner: string;
  log: Logger;
  /** Called when a write to Redis or Valkey fails. The store then refuses all writes until `recover` has succeeded. */
  onFailure(error: Error): void;
  /** Called once when a newer owner has taken over the store. The process must then end. */
  onLost(error: OwnershipLost): void;
  /** Called when the store is closed and writes nothing more. `close` waits for the promise. */
  onClosed?(): Promise<void>;
}

/**
 * A storage engine on Redis or Valkey, a cluster or a single node. The entries are spread over buckets. In each bucket
 * a fence names the owner. Writes to a bucket are refused if its fence is not the one of this process.
 */
export class RedisStore implements CopyableEngine {
  readonly #shown: string;
  readonly #fence: Fence;
  readonly #nodes: EngineNodes;
  readonly #calls: BucketCalls;
  readonly #reads: BucketReads;
  readonly #groups: GroupCommit<QueuedWrite, Winners>;
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

  private constructor(url: EngineUrl, { epoch, owner, log, onFailure, onLost, onClosed }: RedisStoreOptions) {
    this.#shown = url.shown;
    this.#fence = fenceOf(epoch, owner);
    this.#onFailure = onFailure;
    this.#onLost = onLost;
    this.#onClosed = onClosed ?? (async () => {});
    this.#nodes = new EngineNodes({ seeds: url.seeds, options: connectionOptions(url), log });
    this.#calls = new BucketCalls(this.#nodes, () => ({
      replicas: url.replicas ?? (this.#nodes.isCluster ? 1 : 0),
      aof: url.aof,
    }));
    this.#reads = new BucketReads(this.#nodes, this.#calls);
    this.#groups = new GroupCommit<QueuedWrite, Winners>(GROUP_LIMITS, {
      write: (queued, _sync, done) => {
        this.#write(queued).then(
          winners => done(undefined, winners),
          (error: Error) => done(error, new Map()),
        );
      },
      onWritten: write => this.#onWritten(write),
      onFailure: cause => this.#fail(cause),
    });
  }

  /**
   * Connects to Redis or Valkey and takes over all buckets of the store: raises their fences, so that no older owner
   * can write any more. Rejects with EngineUrlError, UnusableEngine, NewerStore, OwnershipLost if a newer owner has a
   * bucket, StoreDamage, or an Error whose message contains the address of the Redis or Valkey. No error contains the
   * password.
   */
  static async open(options: RedisStoreOptions): Promise<RedisStore> {
    const url = parseEngineUrl(options.url);
    const store = new RedisStore(url, options);
    try {
      await repeat(() => store.#nodes.refresh(), performance.now() + RETRY_MS);
      await checkEngine(store.#nodes, url.aof, options.log);
      // The first check: a release of gsq that cannot read the data must not take the store away from a newer release.
      // The second check finds a newer release that became the owner in the meantime.
      await store.#checkSchema();
      await store.#raiseFences();
      await store.#checkSchema();
      return store;
    } catch (error) {
      store.#nodes.close();
      throw store.#openError(error);
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

  readAll(prefix: string, visit: (key: string, value: Buffer) => void): Promise<void> {
    return this.#reads.visitAll(prefix, (key, value) => {
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

  async insertIfAbsent(entries: readonly CountedPut[]): Promise<ReadonlyMap<string, Buffer>> {
    if (this.refusal) throw this.refusal;
    const inserts = entries.map((operation): QueuedWrite => ({ operation, mode: 'insert' }));
    const winners = await this.#groups.commit(inserts);
    const own = new Map<string, Buffer>();
    for (const insert of inserts) {
      const winner = winners.get(insert);
      if (winner) own.set(insert.operation.key, winner);
    }
    return own;
  }

  async commit(operations: readonly Operation[]): Promise<void> {
    if (this.refusal) throw this.refusal;
    await this.#groups.commit(hardWrites(operations));
  }

  append(operation: Operation): boolean {
    return this.refusal === undefined && this.#groups.append({ operation, mode: 'soft' });
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

  /** Stores the version of the store format. Until then, the previous release of gsq can still open the store. */
  async finishLoading(): Promise<void> {
    await this.commit([{ type: 'put', key: SCHEMA_KEY, value: Buffer.from(String(SCHEMA)) }]);
  }

  pause(reason: string | undefined): void {
    this.#pause = reason === undefined ? undefined : new NoWrites(reason);
  }

  async recover(compare: () => Promise<Operation[]>): Promise<void> {
    if (!this.failed) return;
    try {
      await this.#nodes.refresh();
      // Raising the fences also shows whether every master accepts writes. If Redis or Valkey has lost its data, it
      // gets new fences here, and `compare` returns everything that is missing.
      await this.#raiseFences();
      const operations = await compare();
      for (let from = 0; from < operations.length; from += RECOVERY_BATCH)
        await this.#write(hardWrites(operations.slice(from, from + RECOVERY_BATCH)));
    } catch (error) {
      this.#noteFences(error);
      throw error;
    }
    this.#failure = undefined;
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

  /**
   * Writes operations to Redis or Valkey. Returns the inserts that did not succeed, because their entries were already
   * stored with a different value.
   */
  async #write(queued: readonly QueuedWrite[]): Promise<Winners> {
    const writes = writesOf(queued, this.#fence.text);
    await this.#calls.run(writes, performance.now() + RETRY_MS);
    const winners = new Map<QueuedWrite, Buffer>();
    for (const write of writes) readWinners(write, winners);
    return winners;
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

  /** Counts the refused writes if `error` is FenceDiffers. Returns true if a newer owner has taken over the store. */
  #noteFences(error: unknown): boolean {
    if (!(error instanceof FenceDiffers)) return false;
    this.#fencedWrites += error.calls;
    if (!isNewer(error.stored, this.#fence)) return false;
    const lost = new OwnershipLost(this.#shown, this.#fence, error.stored);
    this.#end = new NoWrites(lost.message);
    this.#onLost(lost);
    return true;
  }

  async #raiseFences(): Promise<void> {
    const newer = await raiseFences(this.#calls, this.#fence, performance.now() + RETRY_MS);
    if (newer !== undefined) throw new FenceDiffers(newer);
  }

  /** Rejects with NewerStore if a later release of gsq wrote the data in Redis or Valkey. */
  async #checkSchema(): Promise<void> {
    const value = (await this.#reads.getMany([SCHEMA_KEY])).get(SCHEMA_KEY);
    if (!value) return;
    const schema = Number(value.toString());
    if (!Number.isInteger(schema)) throw this.damage('the version of its format is not a number');
    if (schema > SCHEMA) throw new NewerStore(this.#shown, schema, SCHEMA);
  }

  #openError(error: unknown): unknown {
    if (error instanceof FenceDiffers) return new OwnershipLost(this.#shown, this.#fence, error.stored);
    if (EXPLAINED.some(type => error instanceof type)) return error;
    return new Error(`the store at ${this.#shown} cannot be opened: ${explain(error)}`);
  }
}

const EXPLAINED = [EngineUrlError, UnusableEngine, NewerStore, StoreDamage];

function hardWrites(operations: readonly Operation[]): QueuedWrite[] {
  return operations.map(operation => ({ operation, mode: 'hard' }));
}

/** Returns the message of an error of Redis or Valkey, or what the operator can do if this is known. */
function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const isFull = error instanceof EngineReplyError && error.code === 'OOM';
  return isFull
    ? 'the memory of the storage engine is full: raise its maxmemory, or add nodes to the cluster'
    : error.message;
}
