/** A semaphore with a limited number of waiting callers. */
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
   * Acquires the semaphore, and waits in the queue if necessary. Resolves to true when acquired. The caller must then
   * call `release`. Resolves to false immediately if the queue is full.
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

  /** Releases the semaphore. The caller that has waited longest then acquires the semaphore. */
  release(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#taken--;
  }
}
