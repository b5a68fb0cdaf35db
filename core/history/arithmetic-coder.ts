/**
 * Binary arithmetic coding with adaptive probabilities, as in the compressor lpaq (Mahoney). Each kind of bit has its
 * own probability. The index of a probability is called context. Predictable bits take little space.
 */

const HALF = 0x8000;
/**
 * Largest and smallest probability that the arithmetic coder assumes for a bit with the value 1, in units of 1/65536.
 */
const MOST = 0xffff - 31;
const LEAST = 32;
/**
 * Number of coded bits after which a probability of the arithmetic coder adapts at a constant speed. Before that, it
 * adapts faster.
 */
const LIMIT = 60;

/**
 * The table of adaptive probabilities of the arithmetic coder. A context is the index of a probability in this table.
 * The encoder and the decoder must use the same contexts in the same order.
 */
export class Contexts {
  readonly #probabilities: Uint16Array;
  readonly #seen: Uint8Array;

  constructor(count: number) {
    this.#probabilities = new Uint16Array(count).fill(HALF);
    this.#seen = new Uint8Array(count);
  }

  /** Resets all probabilities in the table to one half. */
  reset(): void {
    this.#probabilities.fill(HALF);
    this.#seen.fill(0);
  }

  /**
   * Returns the probability that the next bit has the value 1, in units of 1/65536. `context`: index of the probability
   * in the table.
   */
  probability(context: number): number {
    return this.#probabilities[context] ?? HALF;
  }

  /**
   * Moves a probability in the table towards the value of a bit that was coded with this probability. The move becomes
   * smaller with each coded bit, down to a limit. `context`: index of the probability in the table.
   */
  learn(context: number, bit: number): void {
    const seen = this.#seen[context] ?? 0;
    const before = this.#probabilities[context] ?? HALF;
    const target = bit === 1 ? MOST : LEAST;
    this.#probabilities[context] = before + Math.trunc(((target - before) * 2) / (2 * seen + 3));
    if (seen < LIMIT) this.#seen[context] = seen + 1;
  }
}

/**
 * Divides an interval of the arithmetic coder: the lower part is for the bit 1, the upper part for the bit 0.
 * `probability`: size of the lower part, in units of 1/65536 of the interval. Returns the last number of the lower
 * part.
 */
function split(low: number, high: number, probability: number): number {
  const range = high - low;
  return low + Math.floor(range / 65536) * probability + Math.floor(((range % 65536) * probability) / 65536);
}

/** Encodes sequences of bits. One encoder can write many sequences, one after the other. */
export class ArithmeticEncoder {
  readonly #contexts: Contexts;
  #bytes: number[] = [];
  #low = 0;
  #high = 0xffffffff;

  constructor(contexts: Contexts) {
    this.#contexts = contexts;
  }

  /**
   * Begins to encode a new sequence of bits. Forgets the bytes and the learned probabilities of the previous sequence.
   */
  start(): void {
    this.#contexts.reset();
    this.#bytes = [];
    this.#low = 0;
    this.#high = 0xffffffff;
  }

  /** Encodes a bit (0 or 1) and returns it. `context`: index of the probability that the coder uses for the bit. */
  bit(context: number, bit: number): number {
    const middle = split(this.#low, this.#high, this.#contexts.probability(context));
    this.#contexts.learn(context, bit);
    if (bit === 1) this.#high = middle;
    else this.#low = middle + 1;
    while ((this.#low ^ this.#high) >>> 24 === 0) {
      this.#bytes.push(this.#high >>> 24);
      this.#low = (this.#low << 8) >>> 0;
      this.#high = ((this.#high << 8) | 0xff) >>> 0;
    }
    return bit;
  }

  /**
   * Ends the sequence of bits and returns its bytes. Zero bytes at the end are left out, because the decoder reads
   * zeros after the last byte.
   */
  finish(): Buffer {
    if (this.#low > 0) {
      // One more byte is enough to end the sequence: the highest byte of `#high`. After this byte, the decoder reads
      // zeros. So it reads a number between `#low` and `#high`, and each number in this range decodes to the same bits.
      this.#bytes.push(this.#high >>> 24);
    }
    while (this.#bytes.at(-1) === 0) this.#bytes.pop();
    return Buffer.from(this.#bytes);
  }
}

/** Decodes the bits that an `ArithmeticEncoder` wrote. Never fails: damaged bytes give wrong bits. */
export class ArithmeticDecoder {
  readonly #contexts: Contexts;
  #bytes: Uint8Array = new Uint8Array(0);
  #at = 0;
  #low = 0;
  #high = 0xffffffff;
  #code = 0;

  constructor(contexts: Contexts) {
    this.#contexts = contexts;
  }

  /** Begins to decode the bits in `bytes`. */
  start(bytes: Uint8Array): void {
    this.#contexts.reset();
    this.#bytes = bytes;
    this.#low = 0;
    this.#high = 0xffffffff;
    this.#code = 0;
    for (this.#at = 0; this.#at < 4; this.#at++)
      this.#code = ((this.#code << 8) | (this.#bytes[this.#at] ?? 0)) >>> 0;
  }

  /**
   * Decodes a bit. `context`: index of the probability that the coder uses for the bit. `_bit` is ignored: only the
   * encoder needs this parameter.
   */
  bit(context: number, _bit?: number): number {
    const middle = split(this.#low, this.#high, this.#contexts.probability(context));
    const bit = this.#code <= middle ? 1 : 0;
    this.#contexts.learn(context, bit);
    if (bit === 1) this.#high = middle;
    else this.#low = middle + 1;
    while ((this.#low ^ this.#high) >>> 24 === 0) {
      this.#low = (this.#low << 8) >>> 0;
      this.#high = ((this.#high << 8) | 0xff) >>> 0;
      this.#code = ((this.#code << 8) | (this.#bytes[this.#at++] ?? 0)) >>> 0;
    }
    return bit;
  }
}
