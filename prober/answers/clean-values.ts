import type { ColourCodes } from './raw-status.ts';

const SPACES = /[\t\n\v\f\r\u0085\u2028\u2029]/g;
// Matches the characters that are removed from texts of game servers: control characters, lone surrogates, marks that
// change the direction of text, and byte order marks.
const UNWANTED = /[\p{Cc}\p{Cs}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu;
// `^#` and six hexadecimal digits are a colour code of Unvanquished. Source: `NextToken` in src/common/Color.cpp of
// https://github.com/DaemonEngine/Daemon
const COLOURS: Record<ColourCodes, RegExp | undefined> = {
  caret: /\^(?:[X#][\da-fA-F]{6}|x[\da-fA-F]{3}|[^^])/gu,
  section: /§./gu,
  none: undefined,
};

const SPACE = 0x20;
const CARET = 0x5e;
const LAST_PRINTABLE = 0x7e;

/**
 * True if a text of a game server needs no cleaning. The text is then printable ASCII without a caret (start of a
 * colour code), without spaces at its ends and without two spaces in a row.
 */
function isPlain(text: string): boolean {
  let before = SPACE;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < SPACE || unit > LAST_PRINTABLE || unit === CARET) return false;
    if (unit === SPACE && before === SPACE) return false;
    before = unit;
  }
  return before !== SPACE || text === '';
}

/**
 * Removes control characters, direction marks and colour codes from a text of a game server. Truncates the text to
 * `max` code points.
 */
export function cleanText(value: string, colours: ColourCodes, max: number): string {
  // Fast path, because most texts need no cleaning. Without it, each text would pass through the regular expressions
  // below, which take 0.8 µs.
  if (value.length <= max && isPlain(value)) return value;
  let text = value
    .slice(0, max * 8)
    .replace(SPACES, ' ')
    .replace(UNWANTED, '');
  const codes = COLOURS[colours];
  if (codes) text = text.replace(codes, '');
  text = text.replace(/\s+/g, ' ').trim();
  if (text.length > max) text = Array.from(text).slice(0, max).join('').trimEnd();
  return text;
}

/**
 * True if a value is a finite number that is not negative. Some servers send -1 for "no limit", which is not a count.
 */
export function isCount(value: number | undefined): value is number {
  return value !== undefined && Number.isFinite(value) && value >= 0;
}

/**
 * Rounds a number to the nearest integer and limits it to the range from `min` to `max`. Returns 0 for undefined, NaN
 * and infinity, because a field of a reply can be absent or hold one of these values.
 */
export function whole(value: number | undefined, min: number, max: number): number {
  if (value === undefined || !Number.isFinite(value)) return 0;
  return Math.min(max, Math.max(min, Math.round(value)));
}
