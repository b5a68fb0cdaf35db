/** Up to this number of bytes, `shortText` is faster than `Buffer.toString`. */
const SHORT_BYTES = 24;
/**
 * Arrays of character codes, one for each text length. They are reused, because `shortText` would take 1.5 times as
 * long with a new array for each text.
 */
const LETTERS = Array.from({ length: SHORT_BYTES + 1 }, (_, length) => Array.from({ length }, () => 0));

/**
 * Returns the text in a buffer from `start` to `end`, or undefined if the text is not ASCII or is longer than 24 bytes.
 * Takes 0.1 µs. `Buffer.toString` takes 0.3 µs, mainly for the call into C++.
 */
export function shortText(bytes: Uint8Array, start: number, end: number): string | undefined {
  const letters = LETTERS[end - start];
  if (!letters) return undefined;
  // `fromCharCode` always creates a flat string: V8 stores all its characters in one place. This is an advantage for
  // the callers, because code that gets strings in several internal forms runs slower.
  for (let i = 0; i < letters.length; i++) {
    const byte = bytes[start + i] as number;
    if (byte > 0x7f) return undefined;
    letters[i] = byte;
  }
  return String.fromCharCode(...letters);
}
