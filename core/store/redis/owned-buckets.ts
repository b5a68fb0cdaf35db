import type { TakenBuckets } from '../../cluster/bucket-store.ts';
import { ALL_BUCKETS, isAccountBucket } from '../../cluster/buckets.ts';
import { SCHEMA } from '../schema.ts';
import { NewerStore, StoreDamage } from '../store-damage.ts';
import { type BucketCalls, FenceDiffers } from './bucket-calls.ts';
import type { BucketReads } from './bucket-reads.ts';
import { type QueuedWrite, readWinners, writesOf } from './bucket-writes.ts';
import { explain } from './engine-errors.ts';
import { epochOf, type Fence, fenceOf, isNewer, newestOf, OwnershipLost, type StoredFence } from './fence.ts';
import { raiseFences } from './raise-fences.ts';
import { NotConfirmed } from './repetition.ts';
import { RAISE_SCRIPT, TAKE_SCRIPT } from './scripts.ts';

/** Key of the stored entry that contains the version of the store format, as a decimal number. */
export const SCHEMA_KEY = 'm/state';
/**
 * Time for which a failed write is repeated, in milliseconds. Longer than a failover of Redis (about 5 s with
 * `cluster-node-timeout` 3 s), and shorter than GSQ_REQUEST_TIMEOUT.
 */
export const RETRY_MS = 8_000;

/**
 * Thrown if an entry is written to a bucket (group of servers) that this process does not own. Such a write is a defect
 * in the code of the caller.
 */
export class NotOwned extends Error {
  override name = 'NotOwned';

  constructor({ operation, bucket }: QueuedWrite) {
    super(`the entry ${operation.key} is in bucket ${bucket}, which this core does not own`);
  }
}

/** Result of a write: the operations that were not stored. */
export interface Written {
  /**
   * Inserts that were not stored, because the store already had a different value for the key. The map contains this
   * stored value for each insert.
   */
  winners: ReadonlyMap<QueuedWrite, Buffer>;
  /** Operations that were not stored, because this process no longer owns their bucket. */
  unowned: ReadonlySet<QueuedWrite>;
}

/** Options of `OwnedBuckets` (the groups of servers that this process owns). */
export interface OwnedBucketsOptions {
  calls: BucketCalls;
  reads: BucketReads;
  /** Id of this process. Different processes must have different ids. */
  owner: string;
  /** URL of the store. Contains no secrets. */
  shown: string;
}

/**
 * The buckets of a store on Redis or Valkey that this process owns. Each write to such a bucket contains the fence
 * (fencing token) with which this process owns the bucket.
 */
export class OwnedBuckets {
  readonly #options: OwnedBucketsOptions;
  readonly #fences: (Fence | undefined)[] = new Array(ALL_BUCKETS).fill(undefined);
  /**
   * Version of the store format in Redis or Valkey. Undefined if the store has no version, or if the version was not
   * read yet.
   */
  schema: number | undefined;

  constructor(options: OwnedBucketsOptions) {
    this.#options = options;
  }

  /** The numbers of the buckets that this process owns, in ascending order. */
  get all(): number[] {
    return this.#fences.flatMap((fence, bucket) => (fence ? [bucket] : []));
  }

  has(bucket: number): boolean {
    return this.#fences[bucket] !== undefined;
  }

  /** Returns the fence of a bucket. Undefined if this process does not own the bucket. */
  fenceOf(bucket: number): Fence | undefined {
    return this.#fences[bucket];
  }

  /**
   * Acquires buckets: stores a newer fence, so that earlier owners cannot write. Rejects with NewerStore or StoreDamage
   * if this release of gsq cannot use the data.
   */
  async take(buckets: readonly number[], epoch: number): Promise<TakenBuckets> {
    const fence = fenceOf(epoch, this.#options.owner);
    try {
      const newest = newestOf(await this.#raise(buckets, fence));
      if (newest) return { kind: 'newer', epoch: epochOf(newest.stored) ?? epoch };
      // If this core acquires a bucket with tokens or webhooks, it reads the format version of the store again. The
      // previous owner of the bucket may have run a newer release, which may have changed the format.
      const accounts = buckets.filter(isAccountBucket);
      if (accounts.length > 0) await this.checkSchema();
      // In a new store, the core must soon store the version of the format, so no memory may be full.
      if (accounts.length > 0 && this.schema === undefined) {
        const until = performance.now() + RETRY_MS;
        await raiseFences(this.#options.calls, RAISE_SCRIPT, accounts, () => fence, until, false);
      }
    } catch (error) {
      if (error instanceof NewerStore || error instanceof StoreDamage) throw error;
      return { kind: 'failed', error: new Error(explain(error), { cause: error }) };
    }
    for (const bucket of buckets) this.#fences[bucket] = fence;
    return { kind: 'taken' };
  }

  /**
   * Stores a fence for buckets, and asks the replicas for a confirmation, but only once. A missing confirmation is
   * ignored: if it were required, a core could not take over buckets while their master has no replica.
   */
  async #raise(buckets: readonly number[], fence: Fence): Promise<StoredFence[]> {
    const { calls } = this.#options;
    const fenceOfAny = (): Fence => fence;
    const until = performance.now() + RETRY_MS;
    const refused = await raiseFences(calls, TAKE_SCRIPT, buckets, fenceOfAny, until, false);
    if (refused.length > 0) return refused;
    return raiseFences(calls, TAKE_SCRIPT, buckets, fenceOfAny, performance.now(), true).catch(
      (error: unknown) => {
        if (error instanceof NotConfirmed) return [];
        throw error;
      },
    );
  }

  /** Records that this process no longer owns these buckets. */
  drop(buckets: readonly number[]): void {
    for (const bucket of buckets) this.#fences[bucket] = undefined;
  }

  /**
   * Writes the fences of all owned buckets again. A fence names the owner of a bucket. Rejects with FenceDiffers if a
   * bucket has a newer owner. `isRecovery`: true after a failed write. Then replicas must confirm the fences, and a
   * node with full memory makes the call fail.
   */
  async raiseAgain(isRecovery: boolean): Promise<void> {
    const { calls } = this.#options;
    const until = performance.now() + RETRY_MS;
    const script = isRecovery ? RAISE_SCRIPT : TAKE_SCRIPT;
    const refused = await raiseFences(calls, script, this.all, this.#ownFence, until, isRecovery);
    if (refused.length > 0) throw new FenceDiffers(refused);
  }

  /**
   * Writes the fences of these owned buckets again, only once. Rejects if a write to one of the buckets would fail now,
   * or if too few replicas confirm it. Rejects with FenceDiffers if a bucket has a newer owner.
   */
  async checkWrites(buckets: readonly number[]): Promise<void> {
    const { calls } = this.#options;
    const refused = await raiseFences(calls, RAISE_SCRIPT, buckets, this.#ownFence, performance.now(), true);
    if (refused.length > 0) throw new FenceDiffers(refused);
  }

  readonly #ownFence = (bucket: number): Fence | undefined => this.fenceOf(bucket);

  /** Writes operations to Redis or Valkey. Rejects with the same errors as `BucketCalls.run`. */
  async write(queued: readonly QueuedWrite[]): Promise<Written> {
    const unowned = new Set<QueuedWrite>();
    const writes = writesOf(queued, bucket => this.fenceOf(bucket), unowned);
    await this.#options.calls.run(writes, performance.now() + RETRY_MS);
    const winners = new Map<QueuedWrite, Buffer>();
    for (const write of writes) readWinners(write, winners);
    return { winners, unowned };
  }

  /** Returns the error for writes that were refused because a newer owner has taken over a bucket. */
  lostBy({ refused }: FenceDiffers): OwnershipLost | undefined {
    for (const stored of refused) {
      const mine = this.#fences[stored.bucket];
      if (mine && isNewer(stored.stored, mine)) return new OwnershipLost(this.#options.shown, mine, stored);
    }
    return undefined;
  }

  /** Reads the version of the store format. Rejects with NewerStore if a later release of gsq wrote the data. */
  async checkSchema(): Promise<void> {
    const { reads, shown } = this.#options;
    const value = (await reads.getMany([SCHEMA_KEY])).get(SCHEMA_KEY);
    this.schema = value && Number(value.toString());
    if (this.schema === undefined) return;
    if (!Number.isInteger(this.schema))
      throw new StoreDamage(shown, 'the version of its format is not a number');
    if (this.schema > SCHEMA) throw new NewerStore(shown, this.schema, SCHEMA);
  }
}
