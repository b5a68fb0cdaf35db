/** A core of a cluster. All cores of a cluster have the same storage engine. */
export interface Member {
  /** Id of the core process. A restarted core has a new id. */
  readonly id: string;
  /** Address of the internal port of the core, `host:port`. */
  readonly address: string;
}

/** Loads and unloads the data of buckets. The core implements it, and `Ownership` calls it. */
export interface BucketHolder {
  /**
   * Loads buckets that this core has acquired. No other core writes to them any more. When the promise resolves, this
   * core serves and probes their servers. Rejects if an entry cannot be read; the core then ends.
   */
  take(buckets: readonly number[]): Promise<void>;
  /**
   * Stops serving and probing the servers of buckets, writes their last changes, and unloads them. When the promise
   * resolves, another core can acquire the buckets.
   */
  give(buckets: readonly number[]): Promise<void>;
}

/** The cores of a cluster, and the buckets that each of them owns. */
export interface Ownership {
  /** This core. */
  readonly self: Member;
  /** All cores whose lease has not ended, with this core, sorted by id. */
  readonly members: readonly Member[];
  /** The core that owns the accounts; undefined while no core owns them. */
  readonly lead: Member | undefined;
  /** True if this core owns a bucket, has loaded it, and can rely on its lease. */
  owns(bucket: number): boolean;
  /** Returns the owner of a bucket as far as this core knows; undefined while the bucket has no owner. */
  ownerOf(bucket: number): Member | undefined;
  /**
   * Reads the owners again soon, without waiting for the next regular read. Call this method if another core says that
   * it does not own a bucket.
   */
  refresh(): void;
  /**
   * Calls `listener` after each change of the members, of an owner, or of the buckets that this core has loaded. Returns
   * a function that ends this.
   */
  watch(listener: () => void): () => void;
  /** Begins to acquire buckets. Call this method once, when the core can load them. */
  start(holder: BucketHolder): void;
}
