/**
 * Splits a record of CSV into its fields (RFC 4180). Returns `open` if the record ends inside quotes, and `malformed`
 * if text follows a closing quote. A quote inside a field without quotes is an ordinary character.
 */
export function splitRecord(text: string, delimiter: string): string[] | 'open' | 'malformed' {
  const fields: string[] = [];
  for (let at = 0; ; at++) {
    if (text[at] === '"') {
      const field = quotedField(text, at);
      if (!field) return 'open';
      fields.push(field.value);
      at = field.end;
      if (at < text.length && text[at] !== delimiter) return 'malformed';
    } else {
      const next = text.indexOf(delimiter, at);
      const end = next < 0 ? text.length : next;
      fields.push(text.slice(at, end));
      at = end;
    }
    if (at >= text.length) return fields;
  }
}

/**
 * Reads the quoted field that starts at the index `at` of a CSV record. Returns undefined if the field has no closing
 * quote.
 */
function quotedField(text: string, at: number): { value: string; end: number } | undefined {
  let value = '';
  for (let start = at + 1; ; ) {
    const quote = text.indexOf('"', start);
    if (quote < 0) return undefined;
    value += text.slice(start, quote);
    if (text[quote + 1] !== '"') return { value, end: quote + 1 };
    value += '"';
    start = quote + 2;
  }
}

/** The characters that can separate the fields of a CSV record. Spreadsheets of many countries write semicolons. */
const DELIMITERS = [',', ';', '\t'];

/** Layout of a CSV file: which fields of a record contain the game and the address. */
export interface CsvLayout {
  delimiter: string;
  /** Number of columns of the CSV file: the number of fields in its header line. */
  columns: number;
  /** Index of the game among the fields of each CSV record; -1 if the file has no column for the game. */
  game: number;
  /** Index of the server address among the fields of each CSV record. */
  server: number;
}

function columnOf(header: readonly string[], ...names: string[]): number {
  const column = names.find(name => header.includes(name));
  return column === undefined ? -1 : header.indexOf(column);
}

/**
 * Reads the header line of a CSV file, and finds out which delimiter the file has. Returns undefined if the line has no
 * column `address` or `server`.
 */
export function readHeader(text: string): CsvLayout | undefined {
  for (const delimiter of DELIMITERS) {
    const fields = splitRecord(text, delimiter);
    if (typeof fields === 'string') continue;
    const header = fields.map(field => field.trim().toLowerCase());
    const server = columnOf(header, 'address', 'server');
    if (server >= 0)
      return { delimiter, columns: header.length, game: columnOf(header, 'game_id', 'game'), server };
  }
  return undefined;
}
