import type { Later } from './later.ts';

/** Pause after a failed attempt to close gaps, ms. A gap is a bucket of servers from which changes may be missing. */
const RETRY_MS = 1_000;

/** Options of `FeedGaps`. */
export interface FeedGapsOptions {
  /** True if the owner of a bucket is known and the feed gets all changes from the owner. */
  isFollowed(bucket: number): boolean;
  /** Reads those servers of these buckets that readers of the feed follow. Publishes each difference as a change. */
  reread(buckets: ReadonlySet<number>): Promise<void>;
  /** Called with false when changes begin to be missing from the feed, and with true when none are missing any more. */
  onChange(isGapless: boolean): void;
  later: Later;
}

/**
 * The gaps of a change feed: the buckets of servers from which changes may be missing. A gap is closed by reading the
 * followed servers of the bucket again, as soon as the feed gets the changes of the bucket's owner.
 */
export class FeedGaps {
  readonly #options: FeedGapsOptions;
  readonly #open = new Set<number>();
  /** The buckets whose servers are being read again. */
  #reading: ReadonlySet<number> = new Set();
  #isReading = false;
  #isClosed = false;
  #isGapless = true;
  #cancelRetry: (() => void) | undefined;

  constructor(options: FeedGapsOptions) {
    this.#options = options;
  }

  /** True if changes of the servers of this bucket may be missing from the feed, and the servers are not being read. */
  isOpen(bucket: number): boolean {
    return this.#open.has(bucket);
  }

  /** True if changes of the servers of this bucket may be missing from the feed. */
  has(bucket: number): boolean {
    return this.#open.has(bucket) || this.#reading.has(bucket);
  }

  /** Notes that changes of the servers of these buckets may be missing from the feed. */
  add(buckets: Iterable<number>): void {
    for (const bucket of buckets) this.#open.add(bucket);
    this.#setGapless(this.#open.size === 0 && !this.#isReading);
  }

  /**
   * Closes those gaps (see `FeedGaps`) that can be closed now, because the feed gets the changes of their buckets
   * (`isFollowed`). Reads the servers of these buckets. Call this method when the result of `isFollowed` may have
   * changed.
   */
  async close(): Promise<void> {
    while (!this.#isReading && !this.#isClosed) {
      const ready = new Set([...this.#open].filter(bucket => this.#options.isFollowed(bucket)));
      if (ready.size === 0) return;
      for (const bucket of ready) this.#open.delete(bucket);
      const isRead = await this.#read(ready);
      if (this.#isClosed) return;
      if (!isRead) {
        this.#cancelRetry?.();
        this.#cancelRetry = this.#options.later(RETRY_MS, () => void this.close());
        return;
      }
      this.#setGapless(this.#open.size === 0);
    }
  }

  /**
   * Closes the gaps of buckets by reading their servers again. Resolves to false if the owner of a bucket did not
   * answer. All these buckets then have gaps again.
   */
  async #read(buckets: ReadonlySet<number>): Promise<boolean> {
    this.#isReading = true;
    this.#reading = buckets;
    try {
      await this.#options.reread(buckets);
      return true;
    } catch {
      for (const bucket of buckets) this.#open.add(bucket);
      return false;
    } finally {
      this.#isReading = false;
      this.#reading = new Set();
    }
  }

  /** Stops closing gaps. `onChange` is not called any more. */
  stop(): void {
    this.#isClosed = true;
    this.#cancelRetry?.();
  }

  #setGapless(isGapless: boolean): void {
    if (isGapless === this.#isGapless) return;
    this.#isGapless = isGapless;
    this.#options.onChange(isGapless);
  }
}
