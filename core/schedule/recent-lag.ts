const SLICE_MS = 1_000;
const SLICES = 10;

/**
 * The largest lag in the last ten seconds. A lag is the time from the due time of a probe to its lease (the order to a
 * prober).
 */
export class RecentLag {
  /** Ring buffer with the largest lag (from due time to lease) in each of the last ten seconds. */
  readonly #worst = new Float64Array(SLICES);
  #slice = 0;

  /**
   * Records how late a server was leased (given to a prober for a probe). `seconds`: time from the due time of the
   * probe to the lease. `now`: time of the lease, ms.
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
    // Clears the elements of the ring buffer for the seconds that have passed since the last call. They still contain
    // lags from ten or more seconds ago. If the clock was set back, clears all elements.
    const over = steps < 0 || steps > SLICES ? SLICES : steps;
    for (let i = 0; i < over; i++) this.#worst[(slice + SLICES - i) % SLICES] = 0;
    this.#slice = slice;
  }
}
