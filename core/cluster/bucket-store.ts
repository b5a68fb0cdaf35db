/**
 * Result of `BucketStore.takeBuckets`.
 *
 * - `newer`: a bucket (group of servers) already has a newer owner, with the number `epoch`.
 * - `failed`: the storage engine could not be reached; the caller can try again.
 */
export type TakenBuckets =
  | { readonly kind: 'taken' }
  | { readonly kind: 'newer'; readonly epoch: number }
  | { readonly kind: 'failed'; readonly error: Error };

/** The store of a core, which writes only to the buckets (groups of servers) that the core owns. */
export interface BucketStore {
  /** The error with which writes are refused; undefined while writes are accepted. */
  readonly refusal: Error | undefined;
  /**
   * Makes this core the only writer of these buckets (groups of servers). `epoch`: number of this ownership. The store
   * then refuses the writes of earlier owners, because their numbers are lower. If the store is recovering from a
   * failure, first waits until the recovery ends. Rejects if this release cannot use the stored data.
   */
  takeBuckets(buckets: readonly number[], epoch: number): Promise<TakenBuckets>;
  /**
   * Writes all queued operations, then refuses writes to these buckets (groups of servers). If the store is recovering
   * from a failure of the storage engine, first waits until the recovery ends.
   */
  dropBuckets(buckets: readonly number[]): Promise<void>;
  /**
   * Resolves if no other core has taken a bucket (group of servers) of this core. Otherwise ends this core and rejects.
   * Also rejects if the storage engine cannot be reached. If the store is recovering, first waits until the recovery
   * ends.
   */
  checkBuckets(): Promise<void>;
  /** Stores the version of the store format, if this core owns the accounts (tokens and webhooks). */
  finishLoading(): Promise<void>;
}
