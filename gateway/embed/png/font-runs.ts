/** The fonts of PNG images (`gateway/embed/fonts`). */
const FAMILIES = { usual: 'DejaVu Sans', eastAsian: 'WenQuanYi Micro Hei', emoji: 'Noto Emoji' } as const;

/** A piece of a text in a PNG image, and the name of the font that draws the whole piece. */
export interface FontRun {
  readonly text: string;
  readonly family: string;
}

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
const EMOJI = /[\p{Emoji_Presentation}\p{Extended_Pictographic}]/u;
const EAST_ASIAN =
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{scx=Bopomofo}\u3000-\u303F\uFF00-\uFFEF]/u;
/**
 * Characters that are removed, because they are invisible or because a font joins them with others: Hangul jamo, emoji
 * modifiers, variation selectors and format characters.
 */
const JOINED = /[\u1100-\u11FF\uA960-\uA97F\uD7B0-\uD7FF\p{Emoji_Modifier}\p{Variation_Selector}\p{Cf}]/gu;
/**
 * Matches the first letter of each ligature in DejaVu Sans: f before some Latin letters, and Arabic lam before alef.
 */
const LIGATURE = /f(?=[filjkbht])|\u0644(?=[\u0622\u0623\u0625\u0627])/gu;
/** Zero width non-joiner: an invisible character that keeps a font from drawing two letters as one. */
const NON_JOINER = '\u200C';
const FLAG_LETTER = /[\u{1F1E6}-\u{1F1FF}]/gu;
/** All single characters below this code point are drawn with DejaVu Sans, even emoji such as ©. */
const FIRST_OTHER = '\u2C00';

/**
 * Splits a text into parts, each with the font that draws it. Without this, the rasteriser draws boxes for all
 * characters that the first font lacks.
 */
export function fontRuns(text: string): FontRun[] {
  const runs: { text: string; family: string }[] = [];
  for (const { segment } of graphemes.segment(text)) {
    const family = familyOf(segment);
    const last = runs.at(-1);
    // Draws a space in the font of the character before it, so that the text is split into fewer parts. After an emoji,
    // a space begins a new part, because the space of the emoji font is very wide.
    const joins = last?.family === family || (segment === ' ' && last?.family !== FAMILIES.emoji);
    if (last && joins) last.text += segment;
    else runs.push({ text: segment, family });
  }
  return runs;
}

/**
 * Changes a text so that no font draws several characters as one joined glyph. For example, a flag becomes two letters.
 * Otherwise, if text in another font follows a joined glyph, the rasteriser would not draw this text.
 */
export function drawableText(text: string): string {
  return text
    .normalize('NFC')
    .replace(JOINED, '')
    .replace(LIGATURE, letter => letter + NON_JOINER)
    .replace(FLAG_LETTER, letter => String.fromCharCode((letter.codePointAt(0) ?? 0) - 0x1f1e6 + 0x41));
}

function familyOf(grapheme: string): string {
  if (grapheme.length === 1 && grapheme < FIRST_OTHER) return FAMILIES.usual;
  if (EAST_ASIAN.test(grapheme)) return FAMILIES.eastAsian;
  if (EMOJI.test(grapheme)) return FAMILIES.emoji;
  return FAMILIES.usual;
}
