/**
 * Reads the entries of some buckets (groups of servers) and not of the whole store, because a core loads only the
 * buckets that it owns. Implemented by storage engines that several cores share.
 */
export interface BucketReader {
  /**
   * Calls `visit` with every entry of these buckets whose key starts with `prefix`, in any order. `visit` may keep and
   * change the value. Rejects if a bucket cannot be read, or if `visit` throws.
   */
  readBuckets(
    buckets: readonly number[],
    prefix: string,
    visit: (key: string, value: Buffer) => void,
  ): Promise<void>;
}

/** Access to the buckets of servers in a storage engine that several cores share. */
export interface SharedBuckets {
  readonly reader: BucketReader;
  /** Returns the number of the bucket that contains the server with this `serverKey`, from 0 to `count` - 1. */
  readonly bucketOf: (serverKey: string) => number;
  /** Number of buckets into which all servers are divided. */
  readonly count: number;
}
