/** After this time of uninterrupted work, in milliseconds, a thread pauses. */
const WORK_MS = 0.5;
/** Shortest length of a pause, in milliseconds. Linux makes it about 0.1 ms. */
const PAUSE_MS = 0.02;

const cell = new Int32Array(new SharedArrayBuffer(4));

/** Puts the calling thread to sleep. */
function sleep(ms: number): void {
  Atomics.wait(cell, 0, 0, ms);
}

/**
 * Makes a thread of low priority pause often while it works, such as a thread that searches servers or builds pages.
 * When several threads wait for a CPU core, Linux can let such a thread run for 4 ms, although its priority is low
 * (docs/performance.md, Search). During a pause, it picks another thread, such as one that answers fetches.
 */
export class WorkPauses {
  readonly #now: () => number;
  readonly #sleep: (ms: number) => void;
  #resumedAt = 0;

  /** `now`: a monotonic clock in milliseconds. `sleep`: puts the calling thread to sleep. */
  constructor(now: () => number = () => performance.now(), sleepThread = sleep) {
    this.#now = now;
    this.#sleep = sleepThread;
  }

  /** Call this method when the thread begins to work after an idle time. */
  startWork(): void {
    this.#resumedAt = this.#now();
  }

  /** Pauses if the thread has worked long enough since its last pause. Call this method after each piece of work. */
  readonly pauseIfDue = (): void => {
    if (this.#now() - this.#resumedAt < WORK_MS) return;
    this.#sleep(PAUSE_MS);
    this.#resumedAt = this.#now();
  };
}
