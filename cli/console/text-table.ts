// Matches control characters, which the table replaces. The names of servers come from the servers themselves, and
// control characters in a name could manipulate the terminal.
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/gu;

/**
 * A text table with aligned columns. It remembers the column widths between calls of `format`, so that all pages of a
 * long list are aligned.
 */
export class TextTable {
  readonly #widths: number[] = [];

  /** Formats each row as a line that ends with a line feed. Replaces unprintable characters by blanks. */
  format(rows: readonly (readonly string[])[]): string {
    const clean = rows.map(row => row.map(cell => cell.replace(UNPRINTABLE, ' ')));
    for (const row of clean) {
      for (const [i, cell] of row.entries()) this.#widths[i] = Math.max(this.#widths[i] ?? 0, cell.length);
    }
    return clean
      .map(
        row =>
          `${row
            .map((cell, i) => cell.padEnd(this.#widths[i] ?? 0))
            .join('  ')
            .trimEnd()}\n`,
      )
      .join('');
  }
}
