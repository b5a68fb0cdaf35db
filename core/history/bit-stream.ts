/** Maximum number of leading zeros in the Elias-gamma code of a number. These zeros tell the length of the number. */
const MAX_ZEROS = 24;
/** Largest number that `writeGamma` can write in the Elias-gamma code. */
export const MAX_GAMMA = 2 ** (MAX_ZEROS + 1) - 2;
/**
 * Number of low bits of a long Elias-gamma code that are read and written in a separate step. One step is not enough:
 * the code has up to 25 bits after its zeros, but `readBits` and `writeBits` handle at most 24 bits.
 */
const HALF = 12;

/**
 * Error for bytes that are not the coded samples (results of probes) of an hour. The message says what is wrong with
 * them.
 */
export class CorruptHourError extends Error {
  override name = 'CorruptHourError';
}

/**
 * Reads numbers from a stream of bits, from the highest to the lowest bit of each byte. The last bit with the value 1
 * marks the end of the stream, so the stream needs no length field.
 */
export class BitReader {
  #bytes: Uint8Array = new Uint8Array(0);
  /** Position of the next bit in the bytes. */
  bit = 0;
  /** Position after the last bit of the stream. */
  end = 0;

  /**
   * Begins to read the stream that starts at the byte `start` of `bytes`. Throws CorruptHourError if the last byte is
   * zero, because the end mark (a bit with the value 1) is then missing.
   */
  open(bytes: Uint8Array, start: number): void {
    const last = bytes.length > start ? (bytes[bytes.length - 1] ?? 0) : 0;
    if (last === 0) throw new CorruptHourError('the samples of an hour have no end mark');
    this.#bytes = bytes;
    this.bit = start * 8;
    // `last & -last` is the lowest set bit of the last byte. This bit marks the end of the stream.
    this.end = bytes.length * 8 - 32 + Math.clz32(last & -last);
  }

  /**
   * Reads an unsigned number of `width` bits. `width` is at most 24. Throws CorruptHourError at the end of the stream.
   */
  readBits(width: number): number {
    const bits = this.#peek() >>> (32 - width);
    this.#skip(width);
    return bits;
  }

  /**
   * Reads a number that `writeGamma` wrote in the Elias-gamma code. Throws CorruptHourError at the end of the stream.
   */
  readGamma(): number {
    const bits = this.#peek();
    const zeros = Math.clz32(bits);
    // With at most 12 leading zeros, the Elias-gamma code of a number has at most 25 bits. `#peek` returns at least 25
    // bits, so they contain the whole code.
    if (zeros <= HALF) {
      this.#skip(2 * zeros + 1);
      return (bits >>> (31 - 2 * zeros)) - 1;
    }
    if (zeros > MAX_ZEROS)
      throw new CorruptHourError('the samples of an hour contain a number that is too large');
    this.#skip(zeros);
    const high = this.readBits(zeros + 1 - HALF);
    return ((high << HALF) | this.readBits(HALF)) - 1;
  }

  /** Reads a signed number that `writeSigned` wrote. Throws CorruptHourError at the end of the stream. */
  readSigned(): number {
    return ofZigzag(this.readGamma());
  }

  /**
   * Returns the next bits of the stream as the highest bits of an unsigned 32-bit number. At least 25 bits are valid.
   */
  #peek(): number {
    const bytes = this.#bytes;
    const at = this.bit >> 3;
    const word =
      ((bytes[at] ?? 0) << 24) |
      ((bytes[at + 1] ?? 0) << 16) |
      ((bytes[at + 2] ?? 0) << 8) |
      (bytes[at + 3] ?? 0);
    return (word << (this.bit & 7)) >>> 0;
  }

  #skip(width: number): void {
    this.bit += width;
    if (this.bit > this.end) throw new CorruptHourError('the samples of an hour end within a number');
  }
}

/** Writes numbers to a stream of bits that `BitReader` reads. */
export class BitWriter {
  readonly #bytes: Uint8Array;
  #at = 0;
  /** The last bits of the stream, which do not fill a byte yet (`#rest`), and the number of these bits (`#count`). */
  #rest = 0;
  #count = 0;

  /** `byteLength`: maximum number of bytes that are written. */
  constructor(byteLength: number) {
    this.#bytes = new Uint8Array(byteLength);
  }

  /** Begins a new output stream. Its first bits are the `count` highest bits of `byte`; `count` is at most 7. */
  start(byte: number, count: number): void {
    this.#at = 0;
    this.#count = count;
    this.#rest = byte >> (8 - count);
  }

  /** Writes an unsigned number of `width` bits. `width` is at most 24. */
  writeBits(value: number, width: number): void {
    this.#rest = (this.#rest << width) | value;
    this.#count += width;
    while (this.#count >= 8) {
      this.#count -= 8;
      this.#bytes[this.#at++] = this.#rest >>> this.#count;
    }
    this.#rest &= (1 << this.#count) - 1;
  }

  /**
   * Writes a number from 0 to MAX_GAMMA in the Elias-gamma code of the number plus one: 0 takes one bit, 1 and 2 take
   * three bits, 3 to 6 take five bits.
   */
  writeGamma(value: number): void {
    const code = value + 1;
    const width = 32 - Math.clz32(code);
    this.writeBits(0, width - 1);
    if (width > HALF) {
      this.writeBits(code >>> HALF, width - HALF);
      this.writeBits(code & ((1 << HALF) - 1), HALF);
    } else this.writeBits(code, width);
  }

  /**
   * Writes a signed number with `zigzag` and the Elias-gamma code: 0 takes one bit, 1 and -1 take three bits. The
   * number can be from -MAX_GAMMA / 2 to MAX_GAMMA / 2.
   */
  writeSigned(value: number): void {
    this.writeGamma(zigzag(value));
  }

  /** Copies the first `length` written bytes to `target`, beginning at index `at`. */
  copyTo(target: Uint8Array, at: number, length: number): void {
    // For a few bytes, a loop is faster than `target.set`, because `set` needs a subarray of the bytes.
    for (let i = 0; i < length; i++) target[at + i] = this.#bytes[i] ?? 0;
  }

  /** Ends the stream. Returns the number of written bytes. */
  finish(): number {
    this.writeBits(1, 1);
    if (this.#count > 0) this.writeBits(0, 8 - this.#count);
    return this.#at;
  }
}

/** Maps a signed number to an unsigned one, so that numbers near 0 stay small: 0, 1, -1, 2, -2 become 0, 1, 2, 3, 4. */
export function zigzag(value: number): number {
  return value > 0 ? 2 * value - 1 : -2 * value;
}

/** Returns the signed number that `zigzag` mapped to `code`. */
export function ofZigzag(code: number): number {
  return (code & 1) === 1 ? (code + 1) >> 1 : -(code >> 1);
}
