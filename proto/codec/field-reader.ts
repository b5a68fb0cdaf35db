/** A place behind every message: reading goes on no further once a fault was found. */
export const BROKEN = 0x7fff_ffff;

/** Reads the numbers of protobuf fields. Readers of single messages extend it; `npm run payload` writes them. */
export class FieldReader {
  /** The number read last; exact below 2^53. */
  value = 0;
  /** Its low 32 bits, exact whatever it is. */
  low = 0;

  /** Reads a varint at `at`; returns where it ends, BROKEN if that is not before `end`. */
  number(bytes: Buffer, at: number, end: number): number {
    if (at < end) {
      const byte = bytes[at] as number;
      if (byte < 0x80) {
        this.value = byte;
        this.low = byte;
        return at + 1;
      }
    }
    return this.#longNumber(bytes, at, end);
  }

  /** Reads a length at `at`; returns where what it measures begins, BROKEN if that does not fit before `end`. */
  length(bytes: Buffer, at: number, end: number): number {
    const start = this.number(bytes, at, end);
    if (this.value <= end - start) return start;
    this.value = 0;
    return BROKEN;
  }

  /** Whether the number read last is none that an int32 is written as. */
  isWide(): boolean {
    return this.value > 0x7fff_ffff && this.value < 2 ** 64 - 2 ** 31 - 2 ** 12;
  }

  #longNumber(bytes: Buffer, start: number, end: number): number {
    let scale = 1;
    this.value = 0;
    this.low = 0;
    const last = Math.min(end, start + 10);
    for (let at = start; at < last; at++) {
      const byte = bytes[at] as number;
      this.value += (byte & 0x7f) * scale;
      if (at - start < 5) this.low |= (byte & 0x7f) << (7 * (at - start));
      if (byte < 0x80) return at + 1;
      scale *= 128;
    }
    this.value = 0;
    return BROKEN;
  }
}
