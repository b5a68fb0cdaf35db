/** Value of one table cell. Undefined means that this machine cannot measure the figure; the table then shows `n/a`. */
export type Cell = string | number | undefined;

export interface Column {
  /** Property name of this column's value in each table row. */
  key: string;
  heading: string;
  /** Number of decimals with which the table shows the numbers in this column; 0 by default. */
  digits?: number;
}

/** A table with results of a bench section. The JSON file of the option `--json` contains the rows unchanged. */
export interface Table {
  title: string;
  /** Notes to the reader of the table: how the figures were measured, and how to read them. */
  notes: string[];
  columns: Column[];
  rows: Record<string, Cell>[];
}

function cellText(cell: Cell, digits: number): string {
  if (cell === undefined || (typeof cell === 'number' && Number.isNaN(cell))) return 'n/a';
  return typeof cell === 'number' ? cell.toFixed(digits) : cell;
}

/** Renders a table as Markdown with aligned columns. */
export function renderTable({ title, notes, columns, rows }: Table): string {
  const texts = rows.map(row =>
    columns.map(({ key, digits }) => (key in row ? cellText(row[key], digits ?? 0) : '')),
  );
  const widths = columns.map(({ heading }, i) =>
    Math.max(heading.length, 3, ...texts.map(row => row[i]?.length ?? 0)),
  );
  const line = (cells: string[]) =>
    `| ${cells.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join(' | ')} |`;
  const rule = `|${widths.map((width, i) => (i === 0 ? '-'.repeat(width + 2) : `${'-'.repeat(width + 1)}:`)).join('|')}|`;
  const head = [`### ${title}`, '', ...notes, ...(notes.length > 0 ? [''] : [])];
  return [...head, line(columns.map(({ heading }) => heading)), rule, ...texts.map(line)].join('\n');
}

/**
 * Compares a measured figure with its target. Returns the values of two table columns (`judgedColumns`): the target
 * as text, and whether it is met: `yes`, `no`, or `n/a` if there is no figure.
 */
export function judged(figure: number | undefined, kind: '>=' | '<=', target: number, digits = 2) {
  const met = figure !== undefined && (kind === '>=' ? figure >= target : figure <= target);
  return {
    target: `${kind} ${target.toFixed(digits)}`,
    met: figure === undefined ? 'n/a' : met ? 'yes' : 'no',
  };
}

/** Two columns of a result table, for a measured figure: its target, and whether the figure meets the target. */
export const judgedColumns: readonly Column[] = [
  { key: 'target', heading: 'target' },
  { key: 'met', heading: 'met' },
];
