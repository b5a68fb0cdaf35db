/** Characters that are much narrower or wider than others in common sans-serif fonts. */
const NARROW = new Set(" !'(),-./:;I[]`fijlrt|");
const WIDE = new Set('%@MW_mw');
/**
 * Width of a character of each kind as a share of the font size. These are the widths in the font Verdana, rounded up.
 */
const WIDTHS = { narrow: 0.46, usual: 0.65, capital: 0.75, wide: 1, full: 1.1 };
/** Characters that are about as wide as the font is high: East Asian letters and emoji. */
const FULL = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}]/u;
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/**
 * Returns the approximate width of a text, in units of the SVG. The font of the browser is not known. Therefore a badge
 * sets this width as `textLength`, and the browser spaces the characters to fit it.
 */
export function textWidth(text: string, fontSize: number): number {
  let sum = 0;
  for (const { segment } of graphemes.segment(text)) sum += widthOf(segment);
  return Math.ceil(sum * fontSize);
}

function widthOf(character: string): number {
  if (FULL.test(character)) return WIDTHS.full;
  if (NARROW.has(character)) return WIDTHS.narrow;
  if (WIDE.has(character)) return WIDTHS.wide;
  return /\p{Lu}/u.test(character) ? WIDTHS.capital : WIDTHS.usual;
}

/**
 * Cuts a text to `width`, in units of the SVG. A cut text ends with an ellipsis. A character that consists of several
 * code points is never split.
 */
export function cutToWidth(text: string, fontSize: number, width: number): string {
  if (textWidth(text, fontSize) <= width) return text;
  const room = width / fontSize - WIDTHS.wide;
  let sum = 0;
  let cut = '';
  for (const { segment } of graphemes.segment(text)) {
    sum += widthOf(segment);
    if (sum > room) break;
    cut += segment;
  }
  return `${cut.trimEnd()}…`;
}
