import type { Later } from './later.ts';

/** Time until the servers of buckets are read again if the last attempt failed, ms. */
const RETRY_MS = 1_000;

/** Options of `FeedGaps`. */
export interface FeedGapsOptions {
  /** True if the owner of a bucket is known and the feed gets all its changes. */
  isFollowed(bucket: number): boolean;
  /** Reads the followed servers of buckets, and publishes what has changed. */
  reread(buckets: ReadonlySet<number>): Promise<void>;
  /** Called when changes begin to be missing from the feed (false), and when none are missing any more (true). */
  onChange(isGapless: boolean): void;
  later: Later;
}

/**
 * The buckets of servers from which changes may be missing in the feed. They are closed by reading their followed
 * servers, as soon as the feed gets the changes of their owners again.
 */
export class FeedGaps {
  readonly #options: FeedGapsOptions;
  readonly #open = new Set<number>();
  /** The buckets whose servers are being read. */
  #reading: ReadonlySet<number> = new Set();
  #isReading = false;
  #isClosed = false;
  #isGapless = true;
  #cancelRetry: (() => void) | undefined;

  constructor(options: FeedGapsOptions) {
    this.#options = options;
  }

  /** True if changes of the servers of this bucket may be missing, and the servers are not being read. */
  isOpen(bucket: number): boolean {
    return this.#open.has(bucket);
  }

  /** True if changes of the servers of this bucket may be missing. */
  has(bucket: number): boolean {
    return this.#open.has(bucket) || this.#reading.has(bucket);
  }

  /** Notes that changes of the servers of these buckets may be missing. */
  add(buckets: Iterable<number>): void {
    for (const bucket of buckets) this.#open.add(bucket);
    this.#setGapless(this.#open.size === 0 && !this.#isReading);
  }

  /** Closes the gaps that can be closed now. Call this method when the result of `isFollowed` may have changed. */
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

  /** Resolves to false if the owner of a bucket did not answer. The gaps are then open again. */
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

  /** Ends this object. `onChange` is not called any more. */
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
