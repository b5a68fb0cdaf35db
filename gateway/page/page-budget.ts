import { ServiceError } from '../../proto/service-error.ts';

/** Options of a `PageBudget`. */
export interface PageBudgetOptions {
  /** A monotonic clock, ms. */
  now?: () => number;
  /** Calls a function after some time, ms. */
  after?: (ms: number, callback: () => void) => void;
}

/**
 * Share of the main thread's time that pages and images may use in the long run. The rest is for fetches: without a
 * limit, 1,000 requests for pages a second raised the latency of fetches from 6 ms to 2.6 s (p99, `npm run bench --
 * page`).
 */
const SHARE = 0.1;
/** Maximum unused time of the main thread that is saved up for a burst of requests, ms. */
const BURST_MS = 30;
/** Maximum number of pages and images that are built at the same time. */
const MOST_RUNNING = 2;
/** Maximum number of requests that wait. More are refused. */
const MOST_WAITING = 32;
/** Time that the calls to the core for a page or an image take on the main thread, ms. */
const READS_MS = 2;

/**
 * Limits the work for pages and images (token bucket of main-thread time), so that it never slows down fetches. Requests
 * wait in a queue. If the queue is full, further requests are refused (load shedding).
 */
export class PageBudget {
  readonly #now: () => number;
  readonly #after: (ms: number, callback: () => void) => void;
  readonly #waiting: (() => void)[] = [];
  #running = 0;
  /** Time of the main thread that can be used, ms. Negative if too much was used. */
  #left = BURST_MS;
  #refilledAt: number;
  #isTimed = false;

  constructor({ now = () => performance.now(), after = later }: PageBudgetOptions = {}) {
    this.#now = now;
    this.#after = after;
    this.#refilledAt = now();
  }

  /**
   * Builds a page or an image when there is time for it. `render`: turns the data into bytes; only its time counts.
   * Rejects with CORE_1 if too many requests wait, and with the errors of `read` and `render`.
   */
  async build<Data, Result>(read: () => Promise<Data>, render: (data: Data) => Result): Promise<Result> {
    await this.#enter();
    let spent = READS_MS;
    try {
      const data = await read();
      const began = this.#now();
      const result = render(data);
      spent += this.#now() - began;
      return result;
    } finally {
      this.#running--;
      this.#left -= spent;
      this.#startNext();
    }
  }

  #enter(): Promise<void> {
    if (this.#waiting.length === 0 && this.#hasTime()) {
      this.#running++;
      return Promise.resolve();
    }
    if (this.#waiting.length >= MOST_WAITING) return Promise.reject(tooManyPages());
    return new Promise(resolve => {
      this.#waiting.push(resolve);
      this.#startNext();
    });
  }

  #hasTime(): boolean {
    const now = this.#now();
    this.#left = Math.min(BURST_MS, this.#left + SHARE * (now - this.#refilledAt));
    this.#refilledAt = now;
    return this.#left > 0 && this.#running < MOST_RUNNING;
  }

  #startNext(): void {
    while (this.#waiting.length > 0 && this.#hasTime()) {
      this.#running++;
      this.#waiting.shift()?.();
    }
    if (this.#waiting.length === 0 || this.#isTimed || this.#left > 0) return;
    this.#isTimed = true;
    this.#after(Math.ceil(-this.#left / SHARE) + 1, () => {
      this.#isTimed = false;
      this.#startNext();
    });
  }
}

/**
 * Returns the error of a refused request. The error is not `overloaded`, because the gateway pauses connections with
 * that error. The pause would make things worse: after it, the requests of all paused connections arrive together.
 */
function tooManyPages(): ServiceError {
  return new ServiceError('CORE_1', 'Too many people look at this service at the moment; try again.', {
    retryAfterSeconds: 1,
  });
}

function later(ms: number, callback: () => void): void {
  setTimeout(callback, ms).unref();
}
