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
 * A write is repeated for this time if the engine is not available, in milliseconds. Afterwards it has failed. The time
 * is longer than a failover of the engine, which takes about 5 s with `cluster-node-timeout` 3 s, and shorter than the
 * time for which callers wait (GSQ_REQUEST_TIMEOUT).
 */
const RETRY_MS = 8_000;
/**
 * Limits of a group of appended operations. At 5,000 status writes a second, a delay of 50 ms needs 35 % less CPU time of
 * the masters and 40 % less of this process than the 5 ms of the store on LevelDB (test/engines/write-cost.ts).
 */
const GROUP_LIMITS = { operations: 1_000, delayMs: 50 };
/** Maximum number of operations that `recover` writes at once. */
const RECOVERY_BATCH = 10_000;
/** Key of the entry with the version of the store format, in decimal. `readAll` and `entries` leave it out. */
const SCHEMA_KEY = 'm/state';

/** The inserts of a group whose entry was already stored with a different value, and this value. */
type Winners = ReadonlyMap<QueuedWrite, Buffer>;

export interface RedisStoreOptions {
  /** URL of the engine: see `parseEngineUrl`. */
  url: string;
  /** Number of this ownership of all buckets. It must be higher than the epochs of all earlier owners. */
  epoch: number;
  /** Id of this core process. Different processes must have different ids. */
  owner: string;
  log: Logger;
  /** Called when a write fails. The engine then refuses all writes until `recover` has succeeded. */
  onFailure(error: Error): void;
  /** Called once when a newer owner has taken over. The process must end, because it cannot write any more. */
  onLost(error: OwnershipLost): void;
  /** Called when the store is closed and writes nothing more. `close` waits for the promise. */
  onClosed?(): Promise<void>;
}

/**
 * A storage engine on Redis or Valkey, a cluster or a single node. The entries are spread over buckets. The fence of
 * each bucket names its owner, and each write is refused if the fence is not the one of this store.
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
  /** The error with which writes are refused for ever: the store is closed, or a newer owner has taken over. */
  #end: NoWrites | undefined;
  /** The error with which writes are refused after a failed write, until `recover` has succeeded. */
  #failure: NoWrites | undefined;
  /** The error with which writes are refused while the caller has paused them. */
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
   * Connects to the engine and takes over all buckets: raises their fences, so that no older owner can write any more.
   * Rejects with EngineUrlError, UnusableEngine, NewerStore, OwnershipLost if a newer owner has a bucket, StoreDamage, or
   * an Error whose message contains the address of the engine. No error contains the password.
   */
  static async open(options: RedisStoreOptions): Promise<RedisStore> {
    const url = parseEngineUrl(options.url);
    const store = new RedisStore(url, options);
    try {
      await repeat(() => store.#nodes.refresh(), performance.now() + RETRY_MS);
      await checkEngine(store.#nodes, url.aof, options.log);
      // A release that cannot read the data must not take it away from a newer release. The second check finds a newer
      // release that started in the meantime.
      await store.#checkSchema();
      await store.#raiseFences();
      await store.#checkSchema();
      return store;
    } catch (error) {
      store.#nodes.close();
      throw store.#openError(error);
    }
  }

  /** Number of writes of single buckets that were refused because a different owner has the bucket. */
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
   * Does nothing. The nodes of the engine verify their own files and copies. A digest of all entries would be one more
   * write with each group, and would make all writes go to the same node.
   */
  verify(): void {}

  /** Does nothing, because this engine keeps no digests. */
  resetDigest(): void {}

  damage(what: string): StoreDamage {
    return new StoreDamage(this.#shown, what);
  }

  /** Stores the version of the store format. Until then, the previous release can still open the store. */
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
      // The fences also show whether every master accepts writes. If the engine has lost its data, it gets new fences
      // here, and `compare` returns everything that is missing.
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

  /** Writes operations. Returns the entries that were not inserted, because a different value was already stored. */
  async #write(queued: readonly QueuedWrite[]): Promise<Winners> {
    const writes = writesOf(queued, this.#fence.text);
    await this.#calls.run(writes, performance.now() + RETRY_MS);
    const winners = new Map<QueuedWrite, Buffer>();
    for (const write of writes) readWinners(write, winners);
    return winners;
  }

  /** Handles a failed write. */
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

  /** Counts refused writes if `error` says that a fence differs. Returns true if a newer owner has taken over. */
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

  /** Rejects with NewerStore if a later release wrote the data. */
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

/** Returns the message of an error of the engine, with the repair if it is known. */
function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof EngineReplyError && error.code === 'OOM') {
    return 'the memory of the storage engine is full: raise its maxmemory, or add nodes to the cluster';
  }
  return error.message;
}
