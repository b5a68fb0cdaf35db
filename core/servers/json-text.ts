const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const FIRST_SURROGATE = 0xd800;
const LAST_SURROGATE = 0xdfff;

/** Bytes that `writeJsonText` takes at most for so many characters, `writeJsonBytes` for so many bytes. */
export function jsonTextRoom(length: number): number {
  return 6 * length + 2;
}

/**
 * Writes text at a place as `JSON.stringify` has it; returns where it ends. What is rare in names is left to that, which
 * makes a string to be encoded once more.
 */
export function writeJsonText(bytes: Buffer, start: number, text: string): number {
  let at = start;
  bytes[at++] = QUOTE;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) {
      if (unit < 0x20) return start + bytes.write(JSON.stringify(text), start);
      if (unit === QUOTE || unit === BACKSLASH) bytes[at++] = BACKSLASH;
      bytes[at++] = unit;
    } else if (unit < 0x800) {
      bytes[at++] = 0xc0 | (unit >> 6);
      bytes[at++] = 0x80 | (unit & 0x3f);
    } else if (unit < FIRST_SURROGATE || unit > LAST_SURROGATE) {
      bytes[at++] = 0xe0 | (unit >> 12);
      bytes[at++] = 0x80 | ((unit >> 6) & 0x3f);
      bytes[at++] = 0x80 | (unit & 0x3f);
    } else {
      return start + bytes.write(JSON.stringify(text), start);
    }
  }
  bytes[at++] = QUOTE;
  return at;
}

/** The same for text that lies in other bytes, as UTF-8. What is no UTF-8 there is replaced (U+FFFD). */
export function writeJsonBytes(
  bytes: Buffer,
  start: number,
  from: Buffer,
  textStart: number,
  textEnd: number,
): number {
  let at = start;
  bytes[at++] = QUOTE;
  for (let i = textStart; i < textEnd; i++) {
    const byte = from[i] as number;
    if (byte < 0x20 || byte > 0x7f)
      return writeJsonText(bytes, start, from.toString('utf8', textStart, textEnd));
    if (byte === QUOTE || byte === BACKSLASH) bytes[at++] = BACKSLASH;
    bytes[at++] = byte;
  }
  bytes[at++] = QUOTE;
  return at;
}

/** Bytes that `writeNumber` takes at most. */
export const NUMBER_ROOM = 24;

/** Writes a number at a place as a template does; returns where it ends. */
export function writeNumber(bytes: Buffer, start: number, value: number): number {
  if (value >>> 0 !== value) return start + bytes.write(String(value), start);
  let end = start + 1;
  for (let rest = value; rest >= 10; rest /= 10) end++;
  let rest = value >>> 0;
  for (let at = end - 1; at >= start; at--) {
    const tens = (rest / 10) >>> 0;
    bytes[at] = 0x30 + rest - tens * 10;
    rest = tens;
  }
  return end;
}

/** Writes bytes at a place; returns where they end. Short ones are copied faster so than by `set`. */
export function writePiece(bytes: Buffer, start: number, piece: Uint8Array): number {
  for (let i = 0; i < piece.length; i++) bytes[start + i] = piece[i] ?? 0;
  return start + piece.length;
}
