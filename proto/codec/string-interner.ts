import { shortText } from './short-text.ts';

const SLOTS = 64;
/** Maximum length of an interned text in bytes. Longer texts are not interned. */
const MAX_BYTES = 64;

/**
 * String interner: returns the same string object each time that the same text, such as a game id, is read. So V8
 * computes the hash of the string only once. Stores up to 64 short texts.
 */
export class StringInterner {
  readonly #texts: string[] = new Array(SLOTS).fill('');

  /** Returns the text in a buffer from `start` to `end`, decoded as UTF-8. Invalid bytes become U+FFFD. */
  read(bytes: Buffer, start: number, end: number): string {
    const known = this.find(bytes, start, end);
    if (known !== undefined) return known;
    const text = shortText(bytes, start, end) ?? bytes.toString(undefined, start, end);
    return this.keep(text, bytes, start, end);
  }

  /**
   * Returns the interned string that equals the bytes from `start` to `end`. Returns undefined if there is no such
   * string or the bytes are not ASCII.
   */
  find(bytes: Uint8Array, start: number, end: number): string | undefined {
    if (start === end) return '';
    const known = this.#texts[slotOf(bytes, start, end)] as string;
    return isAscii(known, bytes, start, end - start) ? known : undefined;
  }

  /**
   * Stores a text for `find` and returns it. Overwrites a stored text with the same hash. Does not store a text of more
   * than MAX_BYTES.
   */
  keep(text: string, bytes: Uint8Array, start: number, end: number): string {
    if (end - start <= MAX_BYTES) this.#texts[slotOf(bytes, start, end)] = text;
    return text;
  }
}

function slotOf(bytes: Uint8Array, start: number, end: number): number {
  return (end - start + 5 * (bytes[start] as number) + 11 * (bytes[end - 1] as number)) % SLOTS;
}

/** True if `length` bytes of a buffer, from `start` on, are ASCII and equal `text`. */
function isAscii(text: string, bytes: Uint8Array, start: number, length: number): boolean {
  if (text.length !== length) return false;
  for (let i = 0; i < length; i++) {
    const byte = bytes[start + i] as number;
    if (byte > 0x7f || text.charCodeAt(i) !== byte) return false;
  }
  return true;
}
