import type { ByteWriter } from '../../proto/codec/byte-writer.ts';

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const FIRST_PRINTABLE = 0x20;
const LAST_ASCII = 0x7e;

const SERVERS = Buffer.from('servers');
const GAME_ID = Buffer.from('game_id');

/**
 * Encodes a fetch body as a FetchServersRequest, without making strings or objects: 0.4 µs per address, against 0.8 µs
 * with JSON.parse. Reads only printable ASCII without escapes, and only the keys `servers` and `game_id`.
 */
export class BodyScanner {
  #bytes: Buffer = Buffer.alloc(0);
  #at = 0;
  /** Start and end index, in the fetch body, of the most recently read JSON string, without its quotes. */
  #start = 0;
  #end = 0;

  /**
   * Encodes a fetch body as a FetchServersRequest, appends it to `out`, and returns true. If this scanner cannot read
   * the body, returns false and leaves `out` unchanged. Such a body can still be valid JSON, because the scanner reads
   * only a part of JSON. For example, it does not read escapes.
   */
  scanBody(bytes: Buffer, out: ByteWriter): boolean {
    const before = out.length;
    this.#bytes = bytes;
    this.#at = 0;
    const plain = this.#body(out);
    if (!plain) out.length = before;
    return plain;
  }

  #body(out: ByteWriter): boolean {
    if (!this.#skipMark(OPEN_OBJECT) || !this.#key(SERVERS) || !this.#skipMark(OPEN_LIST)) return false;
    if (!this.#skipMark(CLOSE_LIST)) {
      do {
        if (!this.#group(out)) return false;
      } while (this.#skipMark(COMMA));
      if (!this.#skipMark(CLOSE_LIST)) return false;
    }
    return this.#skipMark(CLOSE_OBJECT) && this.#nextByte() === undefined;
  }

  #group(out: ByteWriter): boolean {
    if (!this.#skipMark(OPEN_OBJECT)) return false;
    const start = out.openField(1);
    let named = false;
    let listed = false;
    do {
      if (!this.#string() || !this.#skipMark(COLON)) return false;
      if (!named && this.#is(GAME_ID)) {
        named = true;
        if (!this.#string()) return false;
        out.bytesField(1, this.#bytes, this.#start, this.#end);
      } else if (!listed && this.#is(SERVERS)) {
        listed = true;
        if (!this.#addresses(out)) return false;
      } else {
        return false;
      }
    } while (this.#skipMark(COMMA));
    out.closeField(start);
    return named && listed && this.#skipMark(CLOSE_OBJECT);
  }

  #addresses(out: ByteWriter): boolean {
    if (!this.#skipMark(OPEN_LIST)) return false;
    if (this.#skipMark(CLOSE_LIST)) return true;
    do {
      if (!this.#string()) return false;
      // Writes the address without `bytesField`, because that method leaves out empty values. An empty address must
      // stay in the list of addresses.
      out.byte((2 << 3) | 2);
      out.varint(this.#end - this.#start);
      out.copyRange(this.#bytes, this.#start, this.#end);
    } while (this.#skipMark(COMMA));
    return this.#skipMark(CLOSE_LIST);
  }

  #key(key: Buffer): boolean {
    return this.#string() && this.#is(key) && this.#skipMark(COLON);
  }

  /** Reads a JSON string. Returns false if the string has escapes or a byte that is not printable ASCII. */
  #string(): boolean {
    if (!this.#skipMark(QUOTE)) return false;
    const bytes = this.#bytes;
    let at = this.#at;
    this.#start = at;
    for (; at < bytes.length; at++) {
      const byte = bytes[at] as number;
      if (byte === QUOTE) break;
      if (byte === BACKSLASH || byte < FIRST_PRINTABLE || byte > LAST_ASCII) return false;
    }
    this.#end = at;
    this.#at = at + 1;
    return at < bytes.length;
  }

  /** Returns true if the JSON string that was read last equals `text`. */
  #is(text: Buffer): boolean {
    if (this.#end - this.#start !== text.length) return false;
    for (let i = 0; i < text.length; i++) if (this.#bytes[this.#start + i] !== text[i]) return false;
    return true;
  }

  /**
   * Skips white space in the fetch body, and then the byte `mark`. Returns false if the byte after the white space is
   * not `mark`.
   */
  #skipMark(mark: number): boolean {
    if (this.#nextByte() !== mark) return false;
    this.#at++;
    return true;
  }

  /**
   * Skips white space in the fetch body. Returns the next byte without skipping it, or undefined at the end of the
   * body.
   */
  #nextByte(): number | undefined {
    const bytes = this.#bytes;
    let byte = bytes[this.#at];
    while (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) byte = bytes[++this.#at];
    return byte;
  }
}
