import { shortText } from './short-text.ts';

const SLOTS = 64;
/** Longer texts are not kept. */
const MAX_BYTES = 64;

/**
 * Makes one string of each of the few texts that a message repeats, such as game ids: V8 then hashes it once for all
 * look-ups. Keeps at most 64 short texts, one a slot.
 */
export class StringInterner {
  readonly #texts: string[] = new Array(SLOTS).fill('');

  /** The text from `start` to `end`, as UTF-8; U+FFFD replaces bytes that are not. */
  read(bytes: Buffer, start: number, end: number): string {
    const known = this.find(bytes, start, end);
    if (known !== undefined) return known;
    const text = shortText(bytes, start, end) ?? bytes.toString(undefined, start, end);
    return this.keep(text, bytes, start, end);
  }

  /** The kept string of the text from `start` to `end`, if it is ASCII and kept. */
  find(bytes: Uint8Array, start: number, end: number): string | undefined {
    if (start === end) return '';
    const known = this.#texts[slotOf(bytes, start, end)] as string;
    return isAscii(known, bytes, start, end - start) ? known : undefined;
  }

  /** Keeps the text from `start` to `end` in place of another, unless it is long, and returns it. */
  keep(text: string, bytes: Uint8Array, start: number, end: number): string {
    if (end - start <= MAX_BYTES) this.#texts[slotOf(bytes, start, end)] = text;
    return text;
  }
}

function slotOf(bytes: Uint8Array, start: number, end: number): number {
  return (end - start + 5 * (bytes[start] as number) + 11 * (bytes[end - 1] as number)) % SLOTS;
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
