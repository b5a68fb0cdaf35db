/**
 * Characters that pages do not show, such as control characters, lone surrogates and marks of the text direction. The
 * two zero-width joiners stay, because emoji and some scripts need them.
 */
const HIDDEN = /\p{Cc}|\p{Cs}|\p{Noncharacter_Code_Point}|(?!\u200c|\u200d)\p{Cf}/gu;
/**
 * Matches white space and zero-width joiners at the beginning and at the end of a text. Joiners have no effect there.
 */
const LOOSE_JOINERS = /^(?:\u200c|\u200d|\s)+|(?:\u200c|\u200d|\s)+$/g;
/** Maximum length of a shown text, in UTF-16 code units. Style sheets shorten it further. */
const MOST = 300;

/**
 * Prepares a text of a game server for a page: one line, at most 300 characters (and `…` if it was longer), no control
 * characters. Returns the argument `otherwise` if nothing visible remains.
 */
export function shownText(text: string, otherwise = ''): string {
  const visible = text
    .slice(0, 4 * MOST)
    .replace(/\s+/g, ' ')
    .replace(HIDDEN, '')
    .replace(LOOSE_JOINERS, '');
  if (visible === '') return otherwise;
  if (visible.length <= MOST) return visible;
  // Removes the first half of a surrogate pair, which truncating the text can leave at its end.
  return `${visible.slice(0, MOST).replace(/[\ud800-\udbff]$/, '')}…`;
}
