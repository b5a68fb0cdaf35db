/** Measures the longest time without an event. Times are in milliseconds of performance.now(). */
export class LongestGap {
  #last = performance.now();
  #longest = 0;

  /** Notes an event. */
  note(): void {
    this.#longest = this.current;
    this.#last = performance.now();
  }

  /** The longest time without an event since the last `restart`, including the time since the last event. */
  get current(): number {
    return Math.max(this.#longest, performance.now() - this.#last);
  }

  /** Begins a new measurement. The time since the last event counts in it too. */
  restart(): void {
    this.#longest = 0;
  }
}
