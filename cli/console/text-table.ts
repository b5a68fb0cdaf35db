import type { Output, Style } from './output.ts';
import { printable } from './printable.ts';
import { textWidth, wrapText } from './text-width.ts';

/** One cell of a text table: a plain text, or a text with a style, such as a heading or a bad value. */
export type Cell = string | { text: string; style: Style | undefined };

const GAP = 2;
/** Number of blanks at the start of each further line of a table row that does not fit on one line. */
const INDENT = 2;
/**
 * The last column of a table stays on the current line if the rest of the line has room for this number of characters,
 * or for the longest text of the column. Otherwise the column begins on a new line.
 */
const LEAST_LAST = 24;

/**
 * Neighbouring columns of a table that are printed on the same line. A row of a wide table takes several such lines.
 * `first`: index of the leftmost column. `widths`: width of each column.
 */
interface Band {
  first: number;
  indent: number;
  widths: number[];
}

/** Returns a row of column headings. */
export function heading(...names: readonly string[]): Cell[] {
  return names.map(text => ({ text, style: 'heading' }));
}

/**
 * A text table with aligned columns. A row that is too wide continues on further lines. All calls of `format` share the
 * column widths, which never shrink.
 */
export class TextTable {
  readonly #output: Output;
  readonly #widths: number[] = [];

  constructor(output: Output) {
    this.#output = output;
  }

  /** Formats each row as lines that end with a line feed. Replaces unprintable characters with blanks. */
  format(rows: readonly (readonly Cell[])[]): string {
    const clean = rows.map(row =>
      row.map(cell => ({
        text: printable(typeof cell === 'string' ? cell : cell.text),
        style: typeof cell === 'string' ? undefined : cell.style,
      })),
    );
    for (const row of clean) {
      for (const [i, { text }] of row.entries())
        this.#widths[i] = Math.max(this.#widths[i] ?? 0, textWidth(text));
    }
    const bands = this.#bands();
    return clean.map(row => bands.map(band => this.#lines(band, row)).join('')).join('');
  }

  #bands(): Band[] {
    const bands: Band[] = [];
    let room = 0;
    for (const [i, natural] of this.#widths.entries()) {
      const isLast = i === this.#widths.length - 1;
      const least = isLast ? Math.min(natural, LEAST_LAST) : natural;
      const band = bands.at(-1);
      if (band && room >= GAP + least) {
        const width = Math.min(natural, room - GAP);
        band.widths.push(width);
        room -= GAP + width;
      } else {
        const indent = band ? INDENT : 0;
        const width = Math.max(1, Math.min(natural, this.#output.columns - indent));
        bands.push({ first: i, indent, widths: [width] });
        room = this.#output.columns - indent - width;
      }
    }
    return bands;
  }

  #lines(
    { first, indent, widths }: Band,
    row: readonly { text: string; style: Style | undefined }[],
  ): string {
    const cells = widths.map((width, i) => {
      const { text, style } = row[first + i] ?? { text: '', style: undefined };
      return { width, style, lines: wrapText(text, width) };
    });
    const height = Math.max(...cells.map(({ lines }) => lines.length));
    let text = '';
    for (let line = 0; line < height; line += 1) {
      const parts = cells.map(({ width, style, lines }) => {
        const part = lines[line] ?? '';
        const padding = ' '.repeat(Math.max(0, width - textWidth(part)));
        return { shown: style && part.trim() !== '' ? this.#output.paint(style, part) : part, padding };
      });
      const joined = parts
        .map(({ shown, padding }) => shown + padding)
        .join(' '.repeat(GAP))
        .trimEnd();
      text += joined === '' && first > 0 ? '' : `${' '.repeat(indent)}${joined}\n`;
    }
    return text;
  }
}
