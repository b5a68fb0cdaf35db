/** One figure or word of a table; undefined where it cannot be had here. A row without the key leaves it empty. */
export type Cell = string | number | undefined;

export interface Column {
  /** The key in each row. */
  key: string;
  heading: string;
  /** Decimals of a number; 0 unless told otherwise. */
  digits?: number;
}

/** What a section found. Rows go into the JSON file as they are. */
export interface Table {
  title: string;
  /** How it was measured, and what to know when reading it. */
  notes: string[];
  columns: Column[];
  rows: Record<string, Cell>[];
}

function cellText(cell: Cell, digits: number): string {
  if (cell === undefined || (typeof cell === 'number' && Number.isNaN(cell))) return 'n/a';
  return typeof cell === 'number' ? cell.toFixed(digits) : cell;
}

/** The table in Markdown, its columns aligned. */
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

/** Cells of a figure that has a target: what is aimed for, and whether it was met. */
export function judged(figure: number | undefined, kind: '>=' | '<=', target: number, digits = 2) {
  const met = figure !== undefined && (kind === '>=' ? figure >= target : figure <= target);
  return {
    target: `${kind} ${target.toFixed(digits)}`,
    met: figure === undefined ? 'n/a' : met ? 'yes' : 'no',
  };
}

/** The columns of those cells. */
export const judgedColumns: readonly Column[] = [
  { key: 'target', heading: 'target' },
  { key: 'met', heading: 'met' },
];
