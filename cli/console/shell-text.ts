/** Width of the terminal for which the first screen of `npm start` is written, in columns. */
const COLUMNS = 80;
const INDENT = '  ';
/** Matches a text that a POSIX shell reads as one word without quotes. */
const PLAIN = /^[\w.,:/@%+-]+$/;

/** Quotes an argument for a POSIX shell if it needs quotes. */
export function quote(text: string): string {
  return PLAIN.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Splits a shell command at the blanks between its words. Blanks inside quotes belong to a word. */
export function shellWords(command: string): string[] {
  return command.match(/(?:'[^']*'|\\.|[^' \\])+/g) ?? [];
}

/**
 * Separators for `fill`, which breaks a text into lines: `between` stands between two words of a line. `atEnd` stands
 * at the end of each line except the last one.
 */
export interface Joint {
  between: string;
  atEnd: string;
}

/** Separators for a shell command of several lines. A backslash ends each line except the last one. */
export const COMMAND: Joint = { between: ' ', atEnd: ' \\' };

/**
 * Breaks a text into lines for the first screen, which `npm start` prints. Puts as many words as possible on each line
 * of 80 columns. All lines after the first one are indented more than the first.
 */
export function fill(words: readonly string[], { between, atEnd }: Joint): string {
  const [first = '', ...others] = words;
  const lines: string[] = [];
  let line = INDENT + first;
  for (const word of others) {
    const longer = line + between + word;
    if (longer.length + atEnd.length <= COLUMNS) {
      line = longer;
      continue;
    }
    lines.push(line + atEnd);
    line = INDENT + INDENT + word;
  }
  return [...lines, line].join('\n');
}
