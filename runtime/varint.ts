/** What `Varint.read` returns if the bytes end inside the number. */
export const CUT_SHORT = -1;
/** What `Varint.read` returns if the number goes on after the most bytes it may have. */
export const TOO_LONG = -2;

/** Most bytes of a number of 64 bits and of 32 bits. */
const MOST_BYTES = 10;
const MOST_BYTES_32 = 5;

/**
 * Reads varints: base 128, seven bits a byte, the lowest first, the high bit set on every byte but the last (unsigned
 * LEB128). Protobuf, LevelDB and Minecraft write their numbers so. One object serves many numbers, so that reading one
 * allocates nothing. Bits above 64 are dropped.
 */
export class Varint {
  #low = 0;
  #high = 0;

  /** Reads the number at `at`. Returns the offset of the byte after it, CUT_SHORT or TOO_LONG. */
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

  /** The low 32 bits as an unsigned number. */
  get uint32(): number {
    return this.#low >>> 0;
  }

  /** The low 32 bits as a two's complement number. */
  get int32(): number {
    return this.#low | 0;
  }

  /** The unsigned number of 64 bits; the nearest double from 2^53 on. */
  get uint64(): number {
    return (this.#high >>> 0) * 2 ** 32 + (this.#low >>> 0);
  }
}

const shared = new Varint();

/**
 * Reads a number of 32 bits, two's complement, and where the next field begins. Undefined if the bytes end inside it.
 * Throws RangeError if it has more than five bytes.
 */
export function readVarint32(bytes: Uint8Array, at: number): { value: number; next: number } | undefined {
  const next = shared.read(bytes, at, bytes.length, MOST_BYTES_32);
  if (next === CUT_SHORT) return undefined;
  if (next === TOO_LONG) throw new RangeError('a varint of more than five bytes');
  return { value: shared.int32, next };
}

/** The varint of a number of 32 bits, signed or unsigned. */
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
