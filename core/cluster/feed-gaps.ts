import type { Later } from './later.ts';

/**
 * Pause after a failed attempt to close gaps, ms. A gap is a bucket (group of servers) of which the feed may have
 * missed changes.
 */
const RETRY_MS = 1_000;

/** Options of `FeedGaps` (finds the changes that a change feed may have missed). */
export interface FeedGapsOptions {
  /** True if this core receives all changes of a bucket from the core that owns the bucket. */
  isFollowed(bucket: number): boolean;
  /**
   * Reads the servers in these buckets again, but only servers that readers of the feed follow. Publishes a change for
   * each server whose record differs from the last known record.
   */
  reread(buckets: ReadonlySet<number>): Promise<void>;
  /** Called with false when the change feed may have missed changes, and with true when it has all changes again. */
  onChange(isGapless: boolean): void;
  later: Later;
}

/**
 * The gaps of a change feed. A gap is a bucket of which the feed may have missed changes. To close a gap, `reread`
 * reads the servers of the bucket again, and publishes the differences.
 */
export class FeedGaps {
  readonly #options: FeedGapsOptions;
  readonly #open = new Set<number>();
  /** The buckets whose servers are being read again, to find missed changes. */
  #reading: ReadonlySet<number> = new Set();
  #isReading = false;
  #isClosed = false;
  #isGapless = true;
  #cancelRetry: (() => void) | undefined;

  constructor(options: FeedGapsOptions) {
    this.#options = options;
  }

  /**
   * True if the servers in this bucket must still be read again, because the feed may have missed their changes. False
   * while they are being read, unless the feed may have missed more changes since the start of the read.
   */
  isOpen(bucket: number): boolean {
    return this.#open.has(bucket);
  }

  /** True if the feed may have missed changes of the servers in this bucket. */
  has(bucket: number): boolean {
    return this.#open.has(bucket) || this.#reading.has(bucket);
  }

  /** Adds gaps: the change feed may have missed changes of the servers in these buckets. */
  add(buckets: Iterable<number>): void {
    for (const bucket of buckets) this.#open.add(bucket);
    this.#setGapless(this.#open.size === 0 && !this.#isReading);
  }

  /**
   * Tries to close all gaps (buckets with missed changes) by reading their servers again. Skips a bucket while the feed
   * gets no changes of it. Call this method again when `isFollowed` becomes true for a bucket.
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
   * Reads the servers in these buckets again, to find missed changes. Resolves to false if an owner does not answer.
   * The reads of all these buckets must then be repeated.
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

  /** Ends the search for missed changes. After this call, `onChange` is not called any more. */
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
