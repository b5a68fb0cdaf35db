/**
 * Characters that pages do not show, such as control characters, lone surrogates and marks of the text direction. The
 * two zero-width joiners stay, because emoji and some scripts need them.
 */
const HIDDEN = /\p{Cc}|\p{Cs}|\p{Noncharacter_Code_Point}|(?!\u200c|\u200d)\p{Cf}/gu;
/**
 * Matches white space and zero-width joiners at the beginning and at the end of a text. Joiners have no effect there.
 */
const LOOSE_JOINERS = /^(?:\u200c|\u200d|\s)+|(?:\u200c|\u200d|\s)+$/g;
/**
 * Matches a character that people can see. White space, Braille blank (U+2800) and default ignorable characters, such
 * as Hangul fillers and variation selectors, are invisible. Some of them stay in a shown text, because emoji need them.
 */
const VISIBLE = /[^\p{Default_Ignorable_Code_Point}\u2800\s]/u;
/** Maximum length of a shown text, in UTF-16 code units. Style sheets shorten it further. */
const MOST = 300;

/**
 * Prepares a text of a game server for a page: one line, at most 300 characters (and `…` if it was longer), no control
 * characters. Returns the argument `otherwise` if nothing visible remains.
 */
export function shownText(text: string, otherwise = ''): string {
  const shown = text
    .slice(0, 4 * MOST)
    .replace(/\s+/g, ' ')
    .replace(HIDDEN, '')
    .replace(LOOSE_JOINERS, '');
  if (!VISIBLE.test(shown)) return otherwise;
  if (shown.length <= MOST) return shown;
  // Removes the first half of a surrogate pair, which truncating the text can leave at its end.
  return `${shown.slice(0, MOST).replace(/[\ud800-\udbff]$/, '')}…`;
}
