/**
 * Number of changes that can be read again. 65,536 changes take at most about 10 MB: two arrays, a map with an entry
 * for each changed server, and the keys of the servers.
 */
const MOST_CHANGES = 65_536;

/** A change in the list of recent changes. */
export interface RecentChange {
  readonly sequence: number;
  /** `serverKey` of the changed server. */
  readonly key: string;
  /** `ServerRecord.insertedBy` of the changed server. */
  readonly insertedBy: string;
}

/**
 * The most recent changes, in a ring buffer. Readers that continue an earlier stream find in it which servers have
 * changed since. The state of a changed server is not kept here: readers want the newest state, which is in the store.
 */
export class RecentChanges {
  readonly #most: number;
  /** The change with the number n is at the index n modulo `#most`. */
  readonly #ring: RecentChange[] = [];
  /** The number of the last change of each server that is in the ring. */
  readonly #last = new Map<string, number>();
  #sequence = 0;

  constructor(most = MOST_CHANGES) {
    this.#most = most;
  }

  /** Number of the last change; 0 if there was none. */
  get sequence(): number {
    return this.#sequence;
  }

  /** Adds a change, which replaces the oldest one if the ring is full. Returns its number. */
  addChange(key: string, insertedBy: string): number {
    const sequence = ++this.#sequence;
    const index = sequence % this.#most;
    const oldest = this.#ring[index];
    if (oldest && this.#last.get(oldest.key) === oldest.sequence) this.#last.delete(oldest.key);
    this.#ring[index] = { sequence, key, insertedBy };
    this.#last.set(key, sequence);
    return sequence;
  }

  /** True if all changes after the change with this number are still known. */
  hasAllAfter(sequence: number): boolean {
    return sequence >= Math.max(0, this.#sequence - this.#most) && sequence <= this.#sequence;
  }

  /** True if more than half of the changes that the ring can hold were made after the change with this number. */
  isOld(sequence: number): boolean {
    return this.#sequence - sequence > this.#most / 2;
  }

  /** Number of the last change of a server. Returns 0 if it is not one of the recent changes. */
  lastOf(key: string): number {
    return this.#last.get(key) ?? 0;
  }

  /** Returns a recent change. Returns undefined if the server has changed again since, or the change is not known. */
  newestAt(sequence: number): RecentChange | undefined {
    const change = this.#ring[sequence % this.#most];
    if (change?.sequence !== sequence || this.#last.get(change.key) !== sequence) return undefined;
    return change;
  }
}
