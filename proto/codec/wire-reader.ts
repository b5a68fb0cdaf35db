import { isAscii, isUtf8 } from 'node:buffer';
import { CUT_SHORT, TOO_LONG, Varint } from '../../runtime/varint.ts';
import { shortText } from './short-text.ts';
import type { StringInterner } from './string-interner.ts';

/** Protobuf wire types (Protocol Buffers, "Encoding"). */
export const VARINT = 0;
export const FIXED64 = 1;
export const LEN = 2;
export const START_GROUP = 3;
export const END_GROUP = 4;
export const FIXED32 = 5;

/** Field numbers have 29 bits, so a tag has 32. */
const FIRST_TAG = 1 << 3;
const LAST_TAG = 2 ** 32 - 1;
/** No message is longer (Protocol Buffers, "Proto Limits"). */
const MAX_LENGTH = 2 ** 31 - 1;
/** Groups may nest this deep, as in protobuf's own readers. */
const MAX_GROUP_DEPTH = 100;
/** Up to so many bytes a loop finds bytes that are not ASCII sooner than the call into C++ (43 ns against 85 at 250). */
const LOOP_BYTES = 256;
/** The high bits of four bytes: none is set if the four are ASCII. */
const HIGH_BITS = 0x80808080 | 0;

/** Bytes that are not a protobuf message. */
export class WireError extends Error {
  override name = 'WireError';
}

// Shared, because a reader finishes one number before another reader begins one.
const longNumber = new Varint();

/**
 * Walks the fields of a protobuf message, and of the messages nested in it, without making objects (Protocol Buffers,
 * "Encoding"). Throws WireError on bytes that are not a message. Groups, which proto3 does not have, are skipped.
 */
export class WireReader {
  readonly bytes: Buffer;
  #view: DataView | undefined;
  #at = 0;
  #end = 0;
  /** The current field's tag: eight times its number, plus its wire type. */
  tag = 0;
  /** The current field's number. */
  field = 0;
  /** The current field's wire type. */
  type = 0;
  /** The value of a VARINT field, unsigned; exact below 2^53. */
  value = 0;
  /** The low 32 bits of that value. */
  #low = 0;
  /** Where the bytes of a LEN field begin and end in `bytes`; before the first field, those of the whole message. */
  start = 0;
  end = 0;

  constructor(bytes: Buffer, start = 0, end = bytes.length) {
    this.bytes = bytes;
    this.#at = start;
    this.#end = end;
    this.start = start;
    this.end = end;
  }

  /** The same memory as `bytes`. */
  get view(): DataView {
    this.#view ??= new DataView(this.bytes.buffer, this.bytes.byteOffset, this.bytes.length);
    return this.#view;
  }

  /** Reads the next field; false at the end of the message. */
  next(): boolean {
    if (this.#at === this.#end) return false;
    const tag = this.#readTag();
    const type = tag & 7;
    this.tag = tag;
    this.field = tag >>> 3;
    this.type = type;
    if (type === VARINT) this.#readNumber();
    else if (type === LEN) this.#passBytes(this.#readLength());
    else this.#skip(type, tag >>> 3, 1);
    return true;
  }

  /**
   * Enters the message in the current LEN field: `next` reads its fields from here on. Returns what `leave` takes. A
   * new reader for each nested message took as long as reading its fields.
   */
  enter(): number {
    const outerEnd = this.#end;
    this.#at = this.start;
    this.#end = this.end;
    return outerEnd;
  }

  /** Leaves the message entered, all of whose fields were read, and goes on after it. */
  leave(outerEnd: number): void {
    this.#end = outerEnd;
  }

  /** The value of a VARINT field of type uint32. */
  get uint32(): number {
    return this.#low >>> 0;
  }

  /** The value of a VARINT field of type int32, or of an enum. */
  get int32(): number {
    return this.#low | 0;
  }

  /** Appends the numbers of a packed field of type uint32. */
  readPacked(numbers: number[]): void {
    const outerEnd = this.enter();
    while (this.#at < this.#end) {
      this.#readNumber();
      numbers.push(this.uint32);
    }
    this.leave(outerEnd);
  }

  /** The text of a LEN field. Throws WireError if it is not UTF-8. */
  text(): string {
    const { bytes, start, end } = this;
    const short = shortText(bytes, start, end);
    if (short !== undefined) return short;
    // Without the name of the encoding, which is UTF-8: Node would look it up each time.
    const text = bytes.toString(undefined, start, end);
    // Bytes that are not UTF-8 become this character; a text may also hold it rightly.
    if (text.includes('\ufffd')) this.refuseBadText();
    return text;
  }

  /** The text of a LEN field that repeats a few values. Throws WireError if it is not UTF-8. */
  internedText(interner: StringInterner): string {
    const { bytes, start, end } = this;
    return interner.find(bytes, start, end) ?? interner.keep(this.text(), bytes, start, end);
  }

  /** Whether the bytes of a LEN field are all ASCII: then every text in it is UTF-8. */
  isAscii(): boolean {
    const { bytes, view, start, end } = this;
    if (end - start > LOOP_BYTES) return isAscii(bytes.subarray(start, end));
    let at = start;
    for (; at + 16 <= end; at += 16) {
      const bits = view.getInt32(at) | view.getInt32(at + 4) | view.getInt32(at + 8) | view.getInt32(at + 12);
      if ((bits & HIGH_BITS) !== 0) break;
    }
    while (at < end && (bytes[at] as number) < 0x80) at++;
    return at === end;
  }

  /** Throws WireError if the text of a LEN field is not UTF-8; for texts that stay bytes. */
  refuseBadText(): void {
    const { bytes, start, end } = this;
    if (!this.isAscii() && !isUtf8(bytes.subarray(start, end)))
      throw new WireError('a text that is not UTF-8');
  }

  /** Reads a tag, as a number of 32 bits whose highest may be set. */
  #readTag(): number {
    const tag = this.bytes[this.#at] as number;
    if (tag > 0x7f) return this.#readLongTag();
    if (tag < FIRST_TAG) throw new WireError('a field with number 0');
    this.#at++;
    return tag;
  }

  #readLongTag(): number {
    this.#readLong();
    if (longNumber.uint64 < FIRST_TAG) throw new WireError('a field with number 0');
    if (longNumber.uint64 > LAST_TAG) throw new WireError('a field number of more than 29 bits');
    return longNumber.int32;
  }

  #readLength(): number {
    if (this.#at === this.#end) throw new WireError('a number that is cut short');
    const length = this.bytes[this.#at] as number;
    if (length > 0x7f) return this.#readLongLength();
    this.#at++;
    return length;
  }

  #readLongLength(): number {
    this.#readLong();
    if (longNumber.uint64 > MAX_LENGTH) throw new WireError('a field that is cut short');
    return longNumber.int32;
  }

  /** Passes over the bytes of a field, and notes where they are. */
  #passBytes(length: number): void {
    const end = this.#at + length;
    if (end > this.#end) throw new WireError('a field that is cut short');
    this.start = this.#at;
    this.end = end;
    this.#at = end;
  }

  #readNumber(): void {
    if (this.#at === this.#end) throw new WireError('a number that is cut short');
    const byte = this.bytes[this.#at] as number;
    if (byte > 0x7f) {
      this.#readLong();
      this.#low = longNumber.int32;
      this.value = longNumber.uint64;
    } else {
      this.#at++;
      this.#low = byte;
      this.value = byte;
    }
  }

  /** Reads a number of any length into `longNumber`. */
  #readLong(): void {
    const next = longNumber.read(this.bytes, this.#at, this.#end);
    if (next === CUT_SHORT) throw new WireError('a number that is cut short');
    if (next === TOO_LONG) throw new WireError('a number of more than ten bytes');
    this.#at = next;
  }

  /** Skips the value of a field of any wire type. */
  #skip(type: number, field: number, depth: number): void {
    if (type === VARINT) this.#readLong();
    else if (type === LEN) this.#passBytes(this.#readLength());
    else if (type === FIXED32) this.#passBytes(4);
    else if (type === FIXED64) this.#passBytes(8);
    else if (type === START_GROUP) this.#skipGroup(field, depth);
    else throw new WireError(`a field of wire type ${type}`);
  }

  /** Skips a group up to and with its end. */
  #skipGroup(field: number, depth: number): void {
    if (depth > MAX_GROUP_DEPTH) throw new WireError(`groups that nest deeper than ${MAX_GROUP_DEPTH}`);
    for (;;) {
      if (this.#at === this.#end) throw new WireError('a group that is cut short');
      const tag = this.#readTag();
      const type = tag & 7;
      if (type !== END_GROUP) this.#skip(type, tag >>> 3, depth + 1);
      else if (tag >>> 3 === field) return;
      else throw new WireError('the end of a group that did not begin');
    }
  }
}
