/**
 * Measures the longest time between two events in a row, such as acknowledged inserts. Times are in milliseconds of
 * performance.now().
 */
export class LongestGap {
  #last = performance.now();
  #longest = 0;

  /** Notes that an event happens now. */
  note(): void {
    this.#longest = this.current;
    this.#last = performance.now();
  }

  /**
   * The longest time without an event since the last `restart`, in milliseconds. The time from the last event until now
   * counts too.
   */
  get current(): number {
    return Math.max(this.#longest, performance.now() - this.#last);
  }

  /** Begins a new measurement of the longest time without an event. It starts at the last event, not now. */
  restart(): void {
    this.#longest = 0;
  }
}
