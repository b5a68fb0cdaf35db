const SLICE_MS = 1_000;
const SLICES = 10;

/**
 * The largest lag of a probe in the last ten seconds. The lag is the time from when the probe is due until a prober
 * gets the order to probe.
 */
export class RecentLag {
  /** Ring buffer with the largest lag of a probe in each of the last ten seconds. */
  readonly #worst = new Float64Array(SLICES);
  #slice = 0;

  /**
   * Records the lag of a probe. `seconds`: time from the due time of the probe until a prober got the order to probe.
   * `now`: time of the order, ms.
   */
  note(seconds: number, now: number): void {
    this.#advance(now);
    const at = this.#slice % SLICES;
    if (seconds > (this.#worst[at] ?? 0)) this.#worst[at] = seconds;
  }

  worst(now: number): number {
    this.#advance(now);
    return Math.max(...this.#worst);
  }

  #advance(now: number): void {
    const slice = Math.floor(now / SLICE_MS);
    const steps = slice - this.#slice;
    if (steps === 0) return;
    // The ring buffer has one element for each second. Clears the elements of the seconds that have begun since the
    // previous call, because they still contain lags of ten seconds ago or earlier. Clears all elements if the clock
    // was set back.
    const over = steps < 0 || steps > SLICES ? SLICES : steps;
    for (let i = 0; i < over; i++) this.#worst[(slice + SLICES - i) % SLICES] = 0;
    this.#slice = slice;
  }
}
