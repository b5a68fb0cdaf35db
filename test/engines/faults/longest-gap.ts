/** Measures the longest time between two consecutive events, such as acknowledged inserts, in milliseconds. */
export class LongestGap {
  #last = performance.now();
  #longest = 0;

  /** Records that an event (for example, an acknowledged insert) happens now. */
  note(): void {
    this.#longest = this.current;
    this.#last = performance.now();
  }

  /**
   * The longest time without an event in the current measurement, in milliseconds. The time since the last event counts
   * too.
   */
  get current(): number {
    return Math.max(this.#longest, performance.now() - this.#last);
  }

  /**
   * Forgets the longest time that was measured so far, and starts a new measurement. The new measurement also includes
   * the time between the last event and this call.
   */
  restart(): void {
    this.#longest = 0;
  }
}
