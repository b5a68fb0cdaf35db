import { isAscii, isUtf8 } from 'node:buffer';
import { CUT_SHORT, TOO_LONG, Varint } from '../../runtime/varint.ts';
import { shortText } from './short-text.ts';
import type { StringInterner } from './string-interner.ts';

/** Protobuf wire types. Source: Protocol Buffers documentation, "Encoding". */
export const VARINT = 0;
export const FIXED64 = 1;
export const LEN = 2;
export const START_GROUP = 3;
export const END_GROUP = 4;
export const FIXED32 = 5;

/**
 * Minimum and maximum of a protobuf tag. A tag has 32 bits: 29 bits for the field number, which is at least 1, and 3
 * bits for the wire type.
 */
const FIRST_TAG = 1 << 3;
const LAST_TAG = 2 ** 32 - 1;
/** Maximum length of a protobuf message in bytes (Protocol Buffers documentation, "Proto Limits"). */
const MAX_LENGTH = 2 ** 31 - 1;
/** Maximum nesting depth of protobuf groups, the same as in the protobuf libraries. */
const MAX_GROUP_DEPTH = 100;
/**
 * Maximum number of bytes that a loop checks for non-ASCII bytes. For so few bytes, a call into C++ is slower (250
 * bytes: 85 ns instead of 43 ns).
 */
const LOOP_BYTES = 256;
/** Mask for the highest bit of each byte in a 32-bit word. It finds non-ASCII bytes: only they have this bit set. */
const HIGH_BITS = 0x80808080 | 0;

/** Thrown if bytes are not a valid protobuf message. */
export class WireError extends Error {
  override name = 'WireError';
}

// Decodes long varints. All readers share this object, which is safe because decoding a number is synchronous.
const longNumber = new Varint();

/**
 * Iterates over the fields of a protobuf message and its nested messages without allocating objects. Skips groups,
 * which proto3 does not have. Throws WireError if the bytes are not a valid message.
 */
export class WireReader {
  readonly bytes: Buffer;
  #view: DataView | undefined;
  #at = 0;
  #end = 0;
  /** Tag of the current field: eight times the field number plus the wire type. */
  tag = 0;
  /** Field number of the current protobuf field. */
  field = 0;
  /** Wire type of the current protobuf field. */
  type = 0;
  /** Value of a protobuf field of wire type VARINT, as an unsigned number. It is exact below 2^53. */
  value = 0;
  /** The low 32 bits of `value`, the value of the current field. */
  #low = 0;
  /**
   * Offsets in `bytes` where the content of the current LEN field starts and ends. Initially, start and end of the
   * whole message.
   */
  start = 0;
  end = 0;

  constructor(bytes: Buffer, start = 0, end = bytes.length) {
    this.bytes = bytes;
    this.#at = start;
    this.#end = end;
    this.start = start;
    this.end = end;
  }

  /** DataView on the same memory as `bytes`. */
  get view(): DataView {
    this.#view ??= new DataView(this.bytes.buffer, this.bytes.byteOffset, this.bytes.length);
    return this.#view;
  }

  /** Reads the next field of the protobuf message. Returns false at the end of the message. */
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
   * Starts to read the nested message in the current LEN field: `next` then reads its fields. Pass the returned value
   * to `leave` after the last field. A separate reader for the nested message would take twice the time.
   */
  enter(): number {
    const outerEnd = this.#end;
    this.#at = this.start;
    this.#end = this.end;
    return outerEnd;
  }

  /**
   * Ends the reading of a nested message, after all its fields. `next` continues with the outer message. `outerEnd`:
   * the value that `enter` returned.
   */
  leave(outerEnd: number): void {
    this.#end = outerEnd;
  }

  /** Value of a protobuf field of type uint32 (wire type VARINT). */
  get uint32(): number {
    return this.#low >>> 0;
  }

  /** Value of a protobuf field of type int32 or of an enum type (wire type VARINT). */
  get int32(): number {
    return this.#low | 0;
  }

  /** Appends the numbers of a packed uint32 field to `numbers`. */
  readPacked(numbers: number[]): void {
    const outerEnd = this.enter();
    while (this.#at < this.#end) {
      this.#readNumber();
      numbers.push(this.uint32);
    }
    this.leave(outerEnd);
  }

  /** Returns the text of a protobuf field (wire type LEN). Throws WireError if it is not valid UTF-8. */
  text(): string {
    const { bytes, start, end } = this;
    const short = shortText(bytes, start, end);
    if (short !== undefined) return short;
    // Omits the argument for the encoding, whose default is UTF-8. With this argument, Node would look up the name of
    // the encoding at each call.
    const text = bytes.toString(undefined, start, end);
    // `toString` replaces invalid UTF-8 with U+FFFD. A valid text can also contain U+FFFD, so the bytes are checked
    // again if the result contains U+FFFD.
    if (text.includes('\ufffd')) this.refuseBadText();
    return text;
  }

  /**
   * Returns the text of a protobuf field (wire type LEN) as an interned (shared) string. Use it for fields in which the
   * same few values repeat. Throws WireError if the text is not valid UTF-8.
   */
  internedText(interner: StringInterner): string {
    const { bytes, start, end } = this;
    return interner.find(bytes, start, end) ?? interner.keep(this.text(), bytes, start, end);
  }

  /**
   * True if all bytes of a protobuf field (wire type LEN) are ASCII. Then all texts nested in the field are valid
   * UTF-8.
   */
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

  /**
   * Checks the text of the current protobuf field (wire type LEN), for callers that do not convert the text to a
   * string. Throws WireError if it is not valid UTF-8.
   */
  refuseBadText(): void {
    const { bytes, start, end } = this;
    if (!this.isAscii() && !isUtf8(bytes.subarray(start, end)))
      throw new WireError('a text that is not UTF-8');
  }

  /** Reads a tag as a signed 32-bit number, so large tags are negative. `tag >>> 3` is always the field number. */
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

  /** Skips the bytes of a field and stores their position in `start` and `end`. */
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

  /** Reads a varint of any length into `longNumber`. */
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

  /** Skips a protobuf group, including the tag that ends the group. */
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
