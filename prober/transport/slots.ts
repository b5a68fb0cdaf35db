/** A semaphore with a bounded queue. */
export class Slots {
  readonly #atOnce: number;
  readonly #inLine: number;
  readonly #waiting: (() => void)[] = [];
  #taken = 0;

  constructor(atOnce: number, inLine: number) {
    this.#atOnce = atOnce;
    this.#inLine = inLine;
  }

  /**
   * Resolves to true when a slot is free, and at once to false if the queue is full. Each true requires a
   * `release`.
   */
  async acquire(): Promise<boolean> {
    if (this.#taken < this.#atOnce) {
      this.#taken++;
      return true;
    }
    if (this.#waiting.length >= this.#inLine) return false;
    await new Promise<void>(resolve => this.#waiting.push(resolve));
    return true;
  }

  /** Passes the slot to the next waiter. */
  release(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#taken--;
  }
}
