/** Result of `Varint.read` if the bytes end inside the number. */
export const CUT_SHORT = -1;
/** Result of `Varint.read` if the number has more than the maximum number of bytes. */
export const TOO_LONG = -2;

/** Maximum length of an encoded 64-bit number (varint), in bytes. MOST_BYTES_32 is the maximum for a 32-bit number. */
const MOST_BYTES = 10;
const MOST_BYTES_32 = 5;

/**
 * Reads varints (unsigned LEB128): 7 bits per byte, and the high bit set if another byte follows. Allocates no memory
 * for a number. Of a number with more than 64 bits, keeps only the low 64 bits.
 */
export class Varint {
  #low = 0;
  #high = 0;

  /**
   * Reads the number that begins at the offset `at`. Returns the offset of the byte after the number. If the number
   * cannot be read, returns CUT_SHORT or TOO_LONG instead. After a success, the getters of this object return the
   * number.
   */
  read(bytes: Uint8Array, at: number, end = bytes.length, mostBytes = MOST_BYTES): number {
    let low = 0;
    let high = 0;
    for (let i = 0; i < mostBytes; i++) {
      if (at + i >= end) return CUT_SHORT;
      const byte = bytes[at + i] as number;
      const bits = byte & 0x7f;
      if (i < 4) low |= bits << (7 * i);
      else if (i === 4) {
        low |= bits << 28;
        high = bits >>> 4;
      } else high |= bits << (7 * i - 32);
      if (byte < 0x80) {
        this.#low = low;
        this.#high = high;
        return at + i + 1;
      }
    }
    return TOO_LONG;
  }

  /** The low 32 bits of the last number read, as an unsigned number. */
  get uint32(): number {
    return this.#low >>> 0;
  }

  /** The low 32 bits of the last number read, as a signed number (two's complement). */
  get int32(): number {
    return this.#low | 0;
  }

  /** The last number read, as an unsigned 64-bit number. From 2^53 on, it is rounded to the nearest double. */
  get uint64(): number {
    return (this.#high >>> 0) * 2 ** 32 + (this.#low >>> 0);
  }
}

const shared = new Varint();

/**
 * Reads a signed 32-bit number (two's complement). Returns the number and the offset of the byte after it, or undefined
 * if the bytes end inside the number. Throws RangeError if the number has more than five bytes.
 */
export function readVarint32(bytes: Uint8Array, at: number): { value: number; next: number } | undefined {
  const next = shared.read(bytes, at, bytes.length, MOST_BYTES_32);
  if (next === CUT_SHORT) return undefined;
  if (next === TOO_LONG) throw new RangeError('a varint of more than five bytes');
  return { value: shared.int32, next };
}

/** Encodes a signed or unsigned 32-bit number as a varint. */
export function encodeVarint32(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value >>> 0;
  while (rest > 0x7f) {
    bytes.push((rest & 0x7f) | 0x80);
    rest >>>= 7;
  }
  bytes.push(rest);
  return Buffer.from(bytes);
}
