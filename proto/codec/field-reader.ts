/**
 * Offset that functions return after they have read invalid data. It is greater than every valid offset. Therefore a
 * loop with the condition `at < end` ends after invalid data.
 */
export const BROKEN = 0x7fff_ffff;

/**
 * Base class that reads the numbers in protobuf messages. `npm run payload` generates a subclass for each message type.
 */
export class FieldReader {
  /** The number that this object read last from a protobuf message. Numbers below 2^53 are exact. */
  value = 0;
  /** The low 32 bits of the number in `value`. They are always exact. */
  low = 0;

  /** Reads a varint at the offset `at`. Returns the offset after it, or BROKEN if the varint extends beyond `end`. */
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

  /**
   * Reads the length of a protobuf field at the offset `at`. Returns the offset where the content of the field starts,
   * or BROKEN if the content extends beyond `end`.
   */
  length(bytes: Buffer, at: number, end: number): number {
    const start = this.number(bytes, at, end);
    if (this.value <= end - start) return start;
    this.value = 0;
    return BROKEN;
  }

  /** True if the number that was read last is not a valid int32. */
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
