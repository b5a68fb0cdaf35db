// Names come from game servers, and control characters could rewrite the terminal.
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/gu;

/** Aligns rows in columns. Keeps the widths between pages, so that a long list stays aligned. */
export class TextTable {
  readonly #widths: number[] = [];

  /** Formats rows as lines with a line feed each, and replaces unprintable characters. */
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
