/**
 * The fence (fencing token) of a bucket (group of servers): says which core process owns the bucket. The store refuses
 * a write if its fence differs from the stored fence of the bucket.
 */
export interface Fence {
  /** Epoch: a counter that increases when the bucket gets a new owner. */
  epoch: number;
  /** The fence as it is stored: `<epoch> <owner>`. The owner is the id of a core process, without spaces. */
  text: string;
}

/** The fence of a bucket as it is stored. It says which core process owns the bucket. */
export interface StoredFence {
  bucket: number;
  /**
   * The stored fence as text, `<epoch> <owner>`. `owner` is the id of the core process that owns the bucket. Empty if
   * the bucket has no fence.
   */
  stored: string;
}

/**
 * Returns the fence of a core process for its buckets. `owner`: id of the process. Throws RangeError if `epoch` or
 * `owner` is not valid.
 */
export function fenceOf(epoch: number, owner: string): Fence {
  if (!Number.isSafeInteger(epoch) || epoch < 1)
    throw new RangeError(`epoch ${epoch} is not a positive integer`);
  if (!/^[\x21-\x7e]{1,200}$/.test(owner)) {
    throw new RangeError('the id of an owner must have 1 to 200 printable ASCII characters without spaces');
  }
  return { epoch, text: `${epoch} ${owner}` };
}

/**
 * Compares two different fences (fencing tokens) of the same bucket: `stored` is in the store, and `mine` belongs to
 * this process. Returns true if `stored` belongs to a newer owner or has an unknown form. Returns false if `stored` is
 * empty or belongs to an older owner, for example because the store has lost `mine` in a failover.
 */
export function isNewer(stored: string, mine: Fence): boolean {
  if (stored === '') return false;
  const epoch = epochOf(stored);
  return epoch === undefined || epoch >= mine.epoch;
}

/**
 * Returns the epoch, the number with which the text of a stored fence begins. Returns undefined if the text is empty or
 * is not a fence.
 */
export function epochOf(stored: string): number | undefined {
  const digits = /^\d+/.exec(stored)?.[0];
  return digits === undefined ? undefined : Number(digits);
}

/**
 * Returns the fence with the highest epoch from a list. A higher epoch means a newer owner of the bucket. Returns
 * undefined if the list is empty.
 */
export function newestOf(fences: readonly StoredFence[]): StoredFence | undefined {
  return [...fences].sort((a, b) => (epochOf(b.stored) ?? 0) - (epochOf(a.stored) ?? 0))[0];
}

/**
 * Error if a different core process has taken over a bucket of this process. This process must end, because its data
 * can be outdated.
 */
export class OwnershipLost extends Error {
  override name = 'OwnershipLost';

  /**
   * Creates the error. `store`: URL of the storage engine without secrets, for the message. `mine`: the fence of
   * this process for the bucket. `stored`: the fence of the new owner.
   */
  constructor(store: string, mine: Fence, { bucket, stored }: StoredFence) {
    super(
      `bucket ${bucket} of the store at ${store} belongs to another core: it has the fence "${stored}", and this core has "${mine.text}"`,
    );
  }
}
