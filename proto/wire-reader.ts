/** Protobuf wire types in use; the two of groups are long out of it. */
export const VARINT = 0;
export const FIXED64 = 1;
export const LEN = 2;
export const FIXED32 = 5;

/** Bytes that are no protobuf message. */
export class WireError extends Error {
  override name = 'WireError';
}

/**
 * Walks the fields of a protobuf message that lies somewhere in a buffer, without making objects of them
 * (Protocol Buffers, "Encoding"). Throws WireError on bytes that are no message.
 */
export class WireReader {
  readonly bytes: Buffer;
  #at = 0;
  #end = 0;
  /** Number and wire type of the field read last. */
  field = 0;
  type = 0;
  /** Of the field read last: the number, where it is a VARINT (exact below 2^53). */
  value = 0;
  /** The low 32 bits of that number, exact whatever it is. */
  #low = 0;
  /** Where its bytes lie, where it is LEN. */
  start = 0;
  end = 0;

  constructor(bytes: Buffer, start = 0, end = bytes.length) {
    this.bytes = bytes;
    this.#at = start;
    this.#end = end;
  }

  /** Reads the next field; false at the end of the message. */
  next(): boolean {
    if (this.#at === this.#end) return false;
    const tag = this.#varint();
    this.field = Math.floor(tag / 8);
    this.type = tag & 7;
    if (this.field === 0) throw new WireError('a field with number 0');
    switch (this.type) {
      case VARINT:
        this.value = this.#varint();
        return true;
      case LEN:
        return this.#take(this.#varint());
      case FIXED32:
        return this.#take(4);
      case FIXED64:
        return this.#take(8);
      default:
        throw new WireError(`a field of wire type ${this.type}`);
    }
  }

  /** A VARINT as protobuf cuts it down to a uint32. */
  get uint32(): number {
    return this.#low >>> 0;
  }

  /** A VARINT as protobuf cuts it down to an int32. */
  get int32(): number {
    return this.#low | 0;
  }

  /** Appends the numbers of a packed field of uint32. */
  packed(numbers: number[]): void {
    const reader = new WireReader(this.bytes, this.start, this.end);
    while (reader.#at < reader.#end) {
      reader.#varint();
      numbers.push(reader.uint32);
    }
  }

  /** The bytes of a LEN field as text. */
  text(): string {
    const { bytes, start, end } = this;
    return end - start === 0 ? '' : bytes.toString('utf8', start, end);
  }

  #take(length: number): boolean {
    this.start = this.#at;
    this.#at += length;
    if (this.#at > this.#end) throw new WireError('a field that is cut short');
    this.end = this.#at;
    return true;
  }

  #varint(): number {
    const { bytes } = this;
    let value = 0;
    let scale = 1;
    this.#low = 0;
    for (let i = 0; i < 10; i++) {
      if (this.#at === this.#end) throw new WireError('a number that is cut short');
      const byte = bytes[this.#at++] ?? 0;
      value += (byte & 0x7f) * scale;
      if (i < 5) this.#low |= (byte & 0x7f) << (7 * i);
      if (byte < 0x80) return value;
      scale *= 128;
    }
    throw new WireError('a number of more than ten bytes');
  }
}
