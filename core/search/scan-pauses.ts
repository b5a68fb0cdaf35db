/** After this time of uninterrupted work, in milliseconds, a scan pauses. */
const WORK_MS = 0.5;
/** Shortest length of a pause, in milliseconds. Linux makes it about 0.1 ms. */
const PAUSE_MS = 0.02;

const cell = new Int32Array(new SharedArrayBuffer(4));

/** Puts the calling thread to sleep. */
function sleep(ms: number): void {
  Atomics.wait(cell, 0, 0, ms);
}

/**
 * Makes the search thread pause often while it scans. When several threads wait for a CPU core, Linux can let the search
 * thread run for 4 ms, although its priority is low (docs/performance.md, Search). During a pause, it picks another
 * thread, such as one that answers fetches.
 */
export class ScanPauses {
  readonly #now: () => number;
  readonly #sleep: (ms: number) => void;
  #resumedAt = 0;

  /** `now`: a monotonic clock in milliseconds. `sleep`: puts the calling thread to sleep. */
  constructor(now: () => number = () => performance.now(), sleepThread = sleep) {
    this.#now = now;
    this.#sleep = sleepThread;
  }

  /** Call this method when a scan begins. */
  startScan(): void {
    this.#resumedAt = this.#now();
  }

  /** Pauses if the scan has run long enough since its last pause. Call this method after each block of rows. */
  readonly pauseIfDue = (): void => {
    if (this.#now() - this.#resumedAt < WORK_MS) return;
    this.#sleep(PAUSE_MS);
    this.#resumedAt = this.#now();
  };
}
