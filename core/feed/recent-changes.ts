/**
 * Number of changes of servers that the change feed remembers. 65,536 changes take at most about 10 MB: the ring
 * buffer, a map with an entry for each changed server, and the keys of the servers.
 */
const MOST_CHANGES = 65_536;

/** A recent change of a server: the sequence number of the change, the server, and who may see the server. */
export interface RecentChange {
  readonly sequence: number;
  /** `serverKey` of the changed server. */
  readonly key: string;
  /** Id of the token that inserted the changed server (`ServerRecord.insertedBy`). */
  readonly insertedBy: string;
  /**
   * Sequence number of the server's last public change, which is this `RecentChange` or an earlier one. A change is
   * public if the server was listed publicly before or after the change. 0 if no public change is known.
   */
  readonly lastPublic: number;
}

/**
 * The most recent changes of servers, in a ring buffer. A reader that continues an interrupted stream finds here which
 * servers have changed since the interruption.
 */
export class RecentChanges {
  readonly #most: number;
  /** Ring buffer of the recent changes of servers: the change with the number n has the index n modulo `#most`. */
  readonly #ring: RecentChange[] = [];
  /**
   * Sequence number of the newest change of each server, keyed by `serverKey`. A server whose newest change is no
   * longer in the ring buffer has no entry.
   */
  readonly #last = new Map<string, number>();
  #sequence = 0;

  constructor(most = MOST_CHANGES) {
    this.#most = most;
  }

  /** Sequence number of the last change of any server; 0 if there was no change. */
  get sequence(): number {
    return this.#sequence;
  }

  /**
   * Adds a change of a server, and returns the number of the change. The change replaces the oldest one if the ring
   * buffer is full. `isPublic`: true if the server was listed publicly before or after the change.
   */
  addChange(key: string, insertedBy: string, isPublic: boolean): number {
    const previous = this.newestAt(this.lastOf(key));
    const sequence = ++this.#sequence;
    const lastPublic = isPublic ? sequence : (previous?.lastPublic ?? 0);
    const index = sequence % this.#most;
    const oldest = this.#ring[index];
    if (oldest && this.#last.get(oldest.key) === oldest.sequence) this.#last.delete(oldest.key);
    this.#ring[index] = { sequence, key, insertedBy, lastPublic };
    this.#last.set(key, sequence);
    return sequence;
  }

  /** True if the ring buffer still contains all changes after the change with this number. */
  hasAllAfter(sequence: number): boolean {
    return sequence >= Math.max(0, this.#sequence - this.#most) && sequence <= this.#sequence;
  }

  /**
   * True if the change with this number is in the older half of the ring buffer, or is already overwritten. New changes
   * will soon overwrite the older half.
   */
  isOld(sequence: number): boolean {
    return this.#sequence - sequence > this.#most / 2;
  }

  /**
   * Returns the sequence number of the newest change of a server. Returns 0 if the ring buffer no longer contains this
   * change.
   */
  lastOf(key: string): number {
    return this.#last.get(key) ?? 0;
  }

  /**
   * Returns the change with this number if the ring buffer still contains it and it is the newest change of its
   * server. Returns undefined in all other cases.
   */
  newestAt(sequence: number): RecentChange | undefined {
    const change = this.#ring[sequence % this.#most];
    if (change?.sequence !== sequence || this.#last.get(change.key) !== sequence) return undefined;
    return change;
  }
}
