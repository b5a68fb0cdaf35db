const PLAIN = /^[\x20-\x7e]*$/;
/** Matches white space. U+FEFF is not included, because it counts as an invisible character. */
const SPACES = /[\p{Z}\t\n\v\f\r\u0085]+/gu;
/** Matches invisible characters: control characters, lone surrogates, direction marks, zero-width characters. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu;
const WORDS = /[\p{L}\p{N}\p{M}]+/gu;
/** Matches characters of scripts that are written without spaces between words. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu;

/**
 * Normalises a text for the search: lower case, compatibility characters replaced (NFKC), no invisible characters,
 * single spaces. `Ｆoo`, `foo` and `FOO` give the same result.
 */
export function foldText(text: string): string {
  if (PLAIN.test(text)) return text.toLowerCase().replace(/ {2,}/g, ' ').trim();
  return (
    text
      .replace(SPACES, ' ')
      .replace(INVISIBLE, '')
      .normalize('NFKC')
      // Converts to upper case before lower case, so that `ß` equals `SS` and `ı` equals `I`.
      .toUpperCase()
      .toLowerCase()
      .replaceAll('ς', 'σ')
      .replace(INVISIBLE, '')
      .replace(SPACES, ' ')
      .trim()
  );
}

/**
 * Returns the words of a text, normalised (`foldText`) and separated by single spaces. Words consist of letters, marks
 * and digits. Each Chinese or Japanese character is a word.
 */
export function foldWords(text: string): string {
  if (PLAIN.test(text)) {
    return text
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, ' ')
      .trim();
  }
  return foldText(text).replace(UNSPACED, ' $& ').match(WORDS)?.join(' ') ?? '';
}

/** Shortens UTF-8 text to at most `max` bytes. Does not split a character. */
export function shortened(bytes: Uint8Array, max: number): Uint8Array {
  if (bytes.length <= max) return bytes;
  let end = max;
  while (end > 0 && ((bytes[end] as number) & 0xc0) === 0x80) end--;
  return bytes.subarray(0, end);
}
