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
 * Turns the JSON of a fetch into a FetchServersRequest in one pass over its bytes, without a string or an object:
 * 0.4 µs for one address where JSON.parse and writing what it gave take 0.8. It knows only what callers send nearly always,
 * groups of plain ASCII and no other key.
 */
export class BodyScanner {
  #bytes: Buffer = Buffer.alloc(0);
  #at = 0;
  /** Where the string read last lies, without its quotes. */
  #start = 0;
  #end = 0;

  /** Appends the request to `out`. False where the body is anything else, valid or not; then `out` is as it was. */
  scan(bytes: Buffer, out: ByteWriter): boolean {
    const before = out.length;
    this.#bytes = bytes;
    this.#at = 0;
    const plain = this.#body(out);
    if (!plain) out.length = before;
    return plain;
  }

  #body(out: ByteWriter): boolean {
    if (!this.#take(OPEN_OBJECT) || !this.#key(SERVERS) || !this.#take(OPEN_LIST)) return false;
    if (!this.#take(CLOSE_LIST)) {
      do {
        if (!this.#group(out)) return false;
      } while (this.#take(COMMA));
      if (!this.#take(CLOSE_LIST)) return false;
    }
    return this.#take(CLOSE_OBJECT) && this.#next() === undefined;
  }

  #group(out: ByteWriter): boolean {
    if (!this.#take(OPEN_OBJECT)) return false;
    const start = out.open(1);
    let named = false;
    let listed = false;
    do {
      if (!this.#string() || !this.#take(COLON)) return false;
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
    } while (this.#take(COMMA));
    out.close(start);
    return named && listed && this.#take(CLOSE_OBJECT);
  }

  #addresses(out: ByteWriter): boolean {
    if (!this.#take(OPEN_LIST)) return false;
    if (this.#take(CLOSE_LIST)) return true;
    do {
      if (!this.#string()) return false;
      // Not bytesField: an empty address is an address all the same.
      out.byte((2 << 3) | 2);
      out.varint(this.#end - this.#start);
      out.copyRange(this.#bytes, this.#start, this.#end);
    } while (this.#take(COMMA));
    return this.#take(CLOSE_LIST);
  }

  #key(key: Buffer): boolean {
    return this.#string() && this.#is(key) && this.#take(COLON);
  }

  /** Reads a string in which nothing is escaped. */
  #string(): boolean {
    if (!this.#take(QUOTE)) return false;
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

  /** Whether the string read last is this text. */
  #is(text: Buffer): boolean {
    if (this.#end - this.#start !== text.length) return false;
    for (let i = 0; i < text.length; i++) if (this.#bytes[this.#start + i] !== text[i]) return false;
    return true;
  }

  /** Passes over white space, and over `mark` where it comes next. */
  #take(mark: number): boolean {
    if (this.#next() !== mark) return false;
    this.#at++;
    return true;
  }

  /** The next byte that is no white space; undefined at the end. */
  #next(): number | undefined {
    const bytes = this.#bytes;
    let byte = bytes[this.#at];
    while (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) byte = bytes[++this.#at];
    return byte;
  }
}
