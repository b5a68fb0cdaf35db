/** The last line of a terminal. Each new text replaces the old text of the line. */
export interface StatusLine {
  /** Number of columns of the terminal. */
  readonly columns: number;
  /** Replaces the text of the status line. An empty text removes the line, so that other output can follow. */
  show(text: string): void;
}

/**
 * Opens a status line on a terminal. A new text replaces the previous text of the line. To remove the previous text,
 * writes a carriage return and blanks, which work even without escape sequences.
 */
export function openStatusLine(output: { columns: number; write(text: string): unknown }): StatusLine {
  let width = 0;
  return {
    get columns() {
      return output.columns;
    },
    show(text) {
      // Leaves the last column of the terminal empty, because some terminals begin a new line as soon as this column
      // contains a character.
      const shown = text.slice(0, Math.max(0, output.columns - 1));
      if (width > 0) output.write(`\r${' '.repeat(Math.min(width, output.columns - 1))}\r`);
      if (shown !== '') output.write(shown);
      width = shown.length;
    },
  };
}

const MAX_BAR = 40;

/**
 * Formats a progress bar, such as `[####----]  50% 1200 read`. `share` is from 0 to 1. The result has at most
 * `columns - 1` columns.
 */
export function progressBar(share: number, text: string, columns: number): string {
  const percent = `${Math.floor(Math.min(1, share) * 100)}%`.padStart(4);
  const rest = `${percent} ${text}`;
  const width = Math.min(MAX_BAR, columns - 1 - rest.length - 3);
  if (width < 4) return rest.trimStart();
  const full = Math.floor(Math.min(1, share) * width);
  return `[${'#'.repeat(full)}${'-'.repeat(width - full)}] ${rest}`;
}
