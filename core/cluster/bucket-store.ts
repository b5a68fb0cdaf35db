/**
 * Result of `BucketStore.takeBuckets`.
 *
 * - `newer`: a bucket (group of servers) already has a newer owner. `epoch` is the ownership number of this owner.
 * - `failed`: the storage engine could not be reached; the caller can try again.
 */
export type TakenBuckets =
  | { readonly kind: 'taken' }
  | { readonly kind: 'newer'; readonly epoch: number }
  | { readonly kind: 'failed'; readonly error: Error };

/** The store of a core, which writes only to the buckets that the core owns. */
export interface BucketStore {
  /** The error with which writes are refused; undefined while writes are accepted. */
  readonly refusal: Error | undefined;
  /**
   * Makes this core the only writer of these buckets. `epoch`: ownership number, which increases with each new owner.
   * The store then refuses the writes of earlier owners, because their numbers are lower. If the store is recovering
   * from a failure, first waits until the recovery ends. Rejects if this release cannot use the stored data.
   */
  takeBuckets(buckets: readonly number[], epoch: number): Promise<TakenBuckets>;
  /**
   * Writes all queued operations, then refuses writes to these buckets. If the store is recovering from a failure of
   * the storage engine, first waits until the recovery ends.
   */
  dropBuckets(buckets: readonly number[]): Promise<void>;
  /**
   * Resolves to true if the store can write to these buckets of this core now: the storage engine can be reached, has
   * free memory, and enough replicas confirm writes.
   */
  canWrite(buckets: readonly number[]): Promise<boolean>;
  /**
   * Resolves if this core still owns all its buckets. If another core has taken one, ends this core and rejects.
   * Rejects too if the storage engine cannot be reached. If the store is recovering, first waits until the recovery
   * ends.
   */
  checkBuckets(): Promise<void>;
  /** Stores the version of the store format, if this core owns the accounts (tokens and webhooks). */
  finishLoading(): Promise<void>;
}
