const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** Matches text of printable ASCII characters. Each of them is one column wide on a terminal. */
const NARROW = /^[\x20-\x7e]*$/;
/** Matches code points that take no column: combining marks, joiners, and later parts of a Hangul syllable. */
const ZERO = /^[\p{Mn}\p{Me}\p{Cf}\u1160-\u11ff\ud7b0-\ud7ff]$/u;
/**
 * Matches code points that are only one column wide, for example half-width Katakana and Hangul. WIDE matches most of
 * them too, so this pattern has priority. A regional indicator counts as one column, because two of them form a flag of
 * two columns.
 */
const HALF = /^[\uff61-\uffdc\uffe8-\uffee\u303f\u02ea\u02eb\p{Regional_Indicator}]$/u;
/**
 * Matches a code point that is two columns wide. These are emoji, and the characters of wide scripts. Some blocks of
 * symbols belong to no script, so their ranges are listed.
 */
const WIDE = new RegExp(
  '^[\\p{Emoji_Presentation}\\p{Ideographic}\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Hangul}' +
    '\\p{sc=Bopomofo}\\p{sc=Yi}\\p{sc=Tangut}\\p{sc=Nushu}\\p{sc=Khitan_Small_Script}' +
    '\\u2329\\u232a\\u2ff0-\\u2fff\\u3000-\\u303e\\u3099-\\u30ff\\u3190-\\u31ef\\u3200-\\u3247\\u3250-\\u33ff\\u4dc0-\\u4dff' +
    '\\ufe10-\\ufe19\\ufe30-\\ufe6b\\uff01-\\uff60\\uffe0-\\uffe6\\u{1f200}-\\u{1f265}]$',
  'u',
);
/** The variation selector that asks for the emoji form of a character, which is two columns wide. */
const EMOJI_FORM = '\ufe0f';

function codePointWidth(character: string): number {
  if (ZERO.test(character)) return 0;
  return WIDE.test(character) && !HALF.test(character) ? 2 : 1;
}

function graphemeWidth(grapheme: string): number {
  let width = 0;
  for (const character of grapheme) width += codePointWidth(character);
  return grapheme.includes(EMOJI_FORM) ? Math.max(2, width) : width;
}

/**
 * Returns the width of a text in terminal columns. Terminals show combined emoji with different widths; the result is
 * the largest.
 */
export function textWidth(text: string): number {
  if (NARROW.test(text)) return text.length;
  let width = 0;
  for (const { segment } of segmenter.segment(text)) width += graphemeWidth(segment);
  return width;
}

/**
 * Cuts a text into pieces of at most `width` columns, and never inside a grapheme. A grapheme that is wider than
 * `width` is a piece of its own.
 */
function pieces(text: string, width: number): string[] {
  const found: string[] = [];
  let piece = '';
  let used = 0;
  for (const { segment } of segmenter.segment(text)) {
    const wide = graphemeWidth(segment);
    if (piece !== '' && used + wide > width) {
      found.push(piece);
      piece = '';
      used = 0;
    }
    piece += segment;
    used += wide;
  }
  return [...found, piece];
}

/** Returns the beginning of a text that fits into `width` columns. */
export function cutText(text: string, width: number): string {
  if (textWidth(text) <= width) return text;
  const [first = ''] = pieces(text, width);
  return textWidth(first) <= width ? first : '';
}

/**
 * Breaks a text into lines of at most `width` columns. Breaks at blanks if possible, and inside a word only if the word
 * is longer than a line.
 */
export function wrapText(text: string, width: number): string[] {
  if (textWidth(text) <= width) return [text];
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const joined = line === '' ? word : `${line} ${word}`;
    if (textWidth(joined) <= width) {
      line = joined;
      continue;
    }
    if (line !== '') lines.push(line);
    const parts = pieces(word, width);
    lines.push(...parts.slice(0, -1));
    line = parts.at(-1) ?? '';
  }
  return [...lines, line];
}
