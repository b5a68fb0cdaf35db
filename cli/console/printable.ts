/**
 * Matches characters that must not reach a terminal: control characters (they start escape sequences), bidi controls
 * (they reorder text), and invisible characters. Zero width joiners are allowed, because emoji and Indic scripts need
 * them.
 */
const UNPRINTABLE = /(?![\u200c\u200d])[\p{C}\p{Zl}\p{Zp}]/gu;

/** Writes a space in place of each character that could manipulate a terminal. */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, ' ');
}

/**
 * Formats a value as one line of JSON that is safe to print on a terminal: the characters that `printable` would
 * replace are written as JSON escape sequences.
 */
export function jsonLine(value: unknown): string {
  const escaped = JSON.stringify(value).replace(UNPRINTABLE, character =>
    Array.from({ length: character.length }, (_, i) => character.charCodeAt(i))
      .map(unit => `\\u${unit.toString(16).padStart(4, '0')}`)
      .join(''),
  );
  return `${escaped}\n`;
}
