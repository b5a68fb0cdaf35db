const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Returns the maximum number of bytes that `writeJsonBytes` writes for a string of `length` bytes. */
export function jsonTextRoom(length: number): number {
  return 6 * length + 2;
}

/**
 * Writes a UTF-8 string as JSON, exactly like `JSON.stringify`. The string is in the bytes `textStart` to `textEnd` of
 * `from`. The JSON is written to `bytes`, from the offset `start`. Returns the offset of the end of the JSON. `view` is
 * a DataView of `bytes`, and `fromView` is a DataView of `from`. With them, four bytes are copied at a time, which
 * takes half as long as copying single bytes.
 */
export function writeJsonBytes(
  bytes: Buffer,
  view: DataView,
  start: number,
  from: Buffer,
  fromView: DataView,
  textStart: number,
  textEnd: number,
): number {
  let at = start;
  bytes[at++] = QUOTE;
  let i = textStart;
  for (; i + 4 <= textEnd; i += 4, at += 4) {
    const four = fromView.getInt32(i, true);
    if (!arePlain(four)) break;
    view.setInt32(at, four, true);
  }
  for (; i < textEnd; i++) {
    const byte = from[i] as number;
    // Strings with control characters are rare. Therefore the slow function `JSON.stringify` is good enough for such
    // strings.
    if (byte < 0x20)
      return start + bytes.write(JSON.stringify(from.toString('utf8', textStart, textEnd)), start);
    if (byte === QUOTE || byte === BACKSLASH) bytes[at++] = BACKSLASH;
    bytes[at++] = byte;
  }
  bytes[at++] = QUOTE;
  return at;
}

/** True if no byte of a word of four bytes needs escaping in JSON: no byte is a control character, `"` or `\`. */
function arePlain(four: number): boolean {
  const quotes = four ^ 0x22222222;
  const backslashes = four ^ 0x5c5c5c5c;
  const found =
    ((four - 0x20202020) & ~four) |
    ((quotes - 0x01010101) & ~quotes) |
    ((backslashes - 0x01010101) & ~backslashes);
  return (found & 0x80808080) === 0;
}

/** Maximum number of bytes that `writeNumber` writes. */
export const NUMBER_ROOM = 24;

/**
 * Writes a number as text at the offset `start`, in the same form as `String`. Returns the offset of the end of the
 * text.
 */
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

/** A constant string that is stored as 32-bit words, so that four bytes can be written at a time. */
export class Piece {
  readonly length: number;
  /** The UTF-8 bytes of the string in this `Piece`, as 32-bit words. Zero bytes fill the last word. */
  readonly words: Int32Array;

  constructor(text: string) {
    this.length = Buffer.byteLength(text);
    const bytes = Buffer.alloc(Math.ceil(this.length / 4) * 4);
    bytes.write(text);
    this.words = Int32Array.from({ length: bytes.length / 4 }, (_, i) => bytes.readInt32LE(i * 4));
  }
}

/**
 * Writes a constant string at `start`, in words of four bytes. Zero bytes fill the last word. Returns the offset of the
 * end of the string, before these zero bytes.
 */
export function writePiece(view: DataView, start: number, { words, length }: Piece): number {
  for (let i = 0, at = start; i < words.length; i++, at += 4) view.setInt32(at, words[i] as number, true);
  return start + length;
}
