import { overloaded } from '../upstream/core-errors.ts';

/** Options of a `PageBudget`. */
export interface PageBudgetOptions {
  /** Returns the time of a monotonic clock, ms. */
  now?: () => number;
  /** Calls a function after `ms` milliseconds. */
  after?: (ms: number, callback: () => void) => void;
}

/**
 * Result of a task of the page thread: a page or an image, and the working time that the task took on this thread, ms.
 */
export interface Spent<Result> {
  result: Result;
  ms: number;
}

/**
 * Maximum share of time for which the page thread works, on average. Without this limit, 1,000 page requests a second
 * raised the p99 latency of fetches from 2.7 ms to 18 ms (`npm run bench -- page`).
 */
const SHARE = 0.25;
/**
 * Capacity of the token bucket: working time that the page thread can use for a burst of requests after an idle time,
 * ms. 100 ms are enough for about a hundred badges (small images with the status of a server).
 */
const BURST_MS = 100;
/**
 * Maximum number of pages and images that the page thread builds at the same time. While one of them waits for data
 * from the core, the thread can work on another.
 */
const MOST_RUNNING = 2;
/**
 * Maximum number of requests for pages and images that wait until the worker thread serves them. Further requests are
 * refused.
 */
const MOST_WAITING = 32;

/**
 * Limits the working time of the page thread (a worker thread that builds pages and images) with a token bucket. If the
 * bucket is empty, tasks wait in a queue. If the queue is full, further tasks are refused (load shedding).
 */
export class PageBudget {
  readonly #now: () => number;
  readonly #after: (ms: number, callback: () => void) => void;
  readonly #waiting: (() => void)[] = [];
  #running = 0;
  /**
   * Content of the token bucket: working time that the page thread (a worker thread that builds pages and images) can
   * use now, ms. Negative if the last task took longer than the working time that was left.
   */
  #left = BURST_MS;
  #refilledAt: number;
  #isTimed = false;

  constructor({ now = () => performance.now(), after = later }: PageBudgetOptions = {}) {
    this.#now = now;
    this.#after = after;
    this.#refilledAt = now();
  }

  /** True if the queue of pages and images to build is full, so that `run` would refuse a task. */
  get isFull(): boolean {
    return this.#waiting.length >= MOST_WAITING;
  }

  /**
   * Runs a task that builds a page or an image, and resolves to its result. If the page thread has no working time left
   * or has too many tasks, the task first waits in a queue. Rejects with `overloaded` if the queue is full, or with the
   * error of the task.
   */
  async run<Result>(task: () => Promise<Spent<Result>>): Promise<Result> {
    await this.#enter();
    try {
      const { result, ms } = await task();
      this.#left -= ms;
      return result;
    } finally {
      this.#running--;
      this.#startNext();
    }
  }

  #enter(): Promise<void> {
    if (this.#waiting.length === 0 && this.#hasTime()) {
      this.#running++;
      return Promise.resolve();
    }
    if (this.isFull) return Promise.reject(overloaded);
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

function later(ms: number, callback: () => void): void {
  setTimeout(callback, ms).unref();
}
