import { shortText } from './short-text.ts';

const PLACES = 64;
/** Longer ones are not kept. */
const MOST_BYTES = 64;

/**
 * Reads text that says the same few things again and again: they are made once, and hashed once by those who look them
 * up. Keeps a bounded number of short texts, whatever comes.
 */
export class StringInterner {
  readonly #texts: string[] = new Array(PLACES).fill('');

  /** The text that lies from `start` to `end`, as UTF-8. */
  read(bytes: Buffer, start: number, end: number): string {
    const length = end - start;
    if (length === 0) return '';
    const place = (length + 5 * (bytes[start] as number) + 11 * (bytes[end - 1] as number)) % PLACES;
    const known = this.#texts[place] as string;
    if (isAscii(known, bytes, start, length)) return known;
    const text = shortText(bytes, start, end) ?? bytes.toString(undefined, start, end);
    if (length <= MOST_BYTES) this.#texts[place] = text;
    return text;
  }
}

/** Whether the bytes are ASCII and the text. */
function isAscii(text: string, bytes: Uint8Array, start: number, length: number): boolean {
  if (text.length !== length) return false;
  for (let i = 0; i < length; i++) {
    const byte = bytes[start + i] as number;
    if (byte > 0x7f || text.charCodeAt(i) !== byte) return false;
  }
  return true;
}
