/** A core of a cluster. All cores of a cluster share one storage engine. */
export interface Member {
  /** Id of the core process. A restarted core has a new id. */
  readonly id: string;
  /** Address of the internal port of the core, `host:port`. */
  readonly address: string;
}

/**
 * Loads and unloads the data of buckets (groups of servers). The core implements this interface, and `Ownership` calls
 * it.
 */
export interface BucketHolder {
  /**
   * Loads the data of buckets that this core has acquired, and that no other core writes any more. Resolves when this
   * core serves and probes the servers of these buckets. Rejects if an entry of the store cannot be read. The core
   * process then ends.
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
  /** All cores whose lease has not ended, including this core, sorted by id. */
  readonly members: readonly Member[];
  /** The lead: the core that owns the accounts (tokens and webhooks). Undefined while no core owns them. */
  readonly lead: Member | undefined;
  /**
   * True while this core has a valid lease. Without a valid lease, this core must expect that other cores now own its
   * servers. The listeners of `watch` are called when the value changes.
   */
  readonly isValid: boolean;
  /** True if this core owns a bucket, has loaded it, and can still rely on its lease. */
  owns(bucket: number): boolean;
  /** Returns the owner of a bucket as far as this core knows; undefined while it has no owner. */
  ownerOf(bucket: number): Member | undefined;
  /**
   * Reads the owners of buckets again soon, before the next regular read. Call this method if the supposed owner of a
   * bucket says that it does not own the bucket any more.
   */
  refresh(): void;
  /**
   * Calls `listener` after each change that this core sees in the cluster: a core joins or leaves, a bucket gets a
   * different owner, this core loads or unloads a bucket, or `isValid` changes. Returns a function that removes the
   * listener.
   */
  watch(listener: () => void): () => void;
  /**
   * Begins to acquire buckets for this core. `holder`: loads and unloads the data of these buckets. Call this method
   * once, when `holder` is ready.
   */
  start(holder: BucketHolder): void;
}
