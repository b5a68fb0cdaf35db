import { shortText } from './short-text.ts';

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
 * Walks the fields of a protobuf message that lies somewhere in a buffer, and of the messages in it, without making
 * objects of them (Protocol Buffers, "Encoding"). Throws WireError on bytes that are no message.
 */
export class WireReader {
  readonly bytes: Buffer;
  #view: DataView | undefined;
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

  /** The same memory as `bytes`. */
  get view(): DataView {
    this.#view ??= new DataView(this.bytes.buffer, this.bytes.byteOffset, this.bytes.length);
    return this.#view;
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

  /**
   * Goes into the message that the LEN field read last holds: `next` reads its fields from here on. Gives what `leave`
   * takes. A reader of its own for each of the messages in a message took as long as reading them.
   */
  enter(): number {
    const outerEnd = this.#end;
    this.#at = this.start;
    this.#end = this.end;
    return outerEnd;
  }

  /** Goes on behind the message entered, whose fields were all read. */
  leave(outerEnd: number): void {
    this.#end = outerEnd;
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
    const outerEnd = this.enter();
    while (this.#at < this.#end) {
      this.#varint();
      numbers.push(this.uint32);
    }
    this.leave(outerEnd);
  }

  /** The bytes of a LEN field as text. */
  text(): string {
    const { bytes, start, end } = this;
    // Without the name of the encoding, which is UTF-8: it would be looked up each time.
    return shortText(bytes, start, end) ?? bytes.toString(undefined, start, end);
  }

  #take(length: number): boolean {
    this.start = this.#at;
    this.#at += length;
    if (this.#at > this.#end) throw new WireError('a field that is cut short');
    this.end = this.#at;
    return true;
  }

  #varint(): number {
    if (this.#at === this.#end) throw new WireError('a number that is cut short');
    const byte = this.bytes[this.#at] as number;
    if (byte > 0x7f) return this.#longVarint();
    this.#at++;
    this.#low = byte;
    return byte;
  }

  #longVarint(): number {
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
