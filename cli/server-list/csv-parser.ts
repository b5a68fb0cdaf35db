import { exitStatus } from '../../runtime/lifecycle.ts';
import { CommandError } from '../console/command.ts';
import { type CsvLayout, readHeader, splitRecord } from './csv-record.ts';
import { type Line, MAX_LINE_BYTES, type TextLine } from './line-splitter.ts';
import { entryOf, type ListEntry, type ListedServer, type ListParser, refusedLine } from './list-entry.ts';

/** Maximum number of lines of a CSV record. A quoted field can contain line ends. */
const MAX_RECORD_LINES = 50;
/** Matches the rough form of a server address: a host, a colon and a port. */
const ADDRESS = /^[^\s"]+:\d+$/;

/**
 * Reads the game and the address of each server from CSV with a header line. If a record has a wrong quote, refuses its
 * first line, and parses its other lines again as separate records.
 */
export class CsvParser implements ListParser {
  readonly #game: string;
  #layout: CsvLayout | undefined;
  /** Lines of the CSV record that is not complete yet. */
  #pending: TextLine[] = [];

  constructor(game: string) {
    this.#game = game;
  }

  /** Throws CommandError if the header line has no column with the address or the game. */
  readLine(line: Line): ListEntry[] {
    if ('reason' in line) {
      if (!this.#layout) throw wrongHeader(line.number, line.message);
      return [...this.end(), refusedLine(line.number, line.reason, line.message)];
    }
    const entries: ListEntry[] = [];
    if (this.#layout) this.#addLine(this.#layout, line, entries);
    else if (line.text.trim() !== '') this.#layout = this.#readHeader(line);
    return entries;
  }

  end(): ListEntry[] {
    const entries: ListEntry[] = [];
    while (this.#layout && this.#pending.length > 0) this.#refuseFirst(this.#layout, entries);
    return entries;
  }

  #readHeader({ number, text }: TextLine): CsvLayout {
    const layout = readHeader(text);
    if (!layout) throw wrongHeader(number, 'The header line has no column "address".');
    if (layout.game < 0 && this.#game === '')
      throw wrongHeader(number, 'The header line has no column "game_id", and --game <id> is not set.');
    return layout;
  }

  /**
   * Adds a line to the current CSV record, which can have several lines. Adds the entry of a complete record to
   * `entries`. If a quote is wrong, refuses the first line of the record.
   */
  #addLine(layout: CsvLayout, line: TextLine, entries: ListEntry[]): void {
    this.#pending.push(line);
    const entry = this.#readPending(layout);
    if (entry === 'open') return;
    if (entry === 'malformed') {
      this.#refuseFirst(layout, entries);
      return;
    }
    this.#pending = [];
    if (entry) entries.push(entry);
  }

  /**
   * Reads the current CSV record. Returns undefined if all fields of the record are blank. Returns `open` if the record
   * continues on the next line.
   */
  #readPending(layout: CsvLayout): ListEntry | 'open' | 'malformed' | undefined {
    const text = this.#pending.map(each => each.text).join('\n');
    const fields = splitRecord(text, layout.delimiter);
    if (fields === 'malformed') return fields;
    if (fields === 'open') {
      const isFull = this.#pending.length === MAX_RECORD_LINES || text.length > MAX_LINE_BYTES;
      return isFull ? 'malformed' : 'open';
    }
    if (fields.every(field => field.trim() === '')) return undefined;
    const entry = this.#entryOf(layout, fields);
    // A quote was probably not closed if the record has several lines, and one of these conditions is true: the record
    // is invalid, or one of its lines alone is a valid entry for another server.
    const isJoined = this.#pending.length > 1 && ('reason' in entry || this.#hasOther(layout, entry));
    return isJoined ? 'malformed' : entry;
  }

  #entryOf(layout: CsvLayout, fields: readonly string[]): ListEntry {
    const values = { gameId: fields[layout.game], server: fields[layout.server] };
    return entryOf(this.#pending[0]?.number ?? 0, values, this.#game);
  }

  /**
   * True if one line of the CSV record, read on its own, is a valid entry with another game or address than `own`.
   * `own`: the entry of the whole record.
   */
  #hasOther(layout: CsvLayout, own: ListedServer): boolean {
    return this.#pending.some(({ text }) => {
      const split = splitRecord(text, layout.delimiter);
      // If a quote in the line is wrong, removes all quotes and splits the line at the delimiters.
      const fields = typeof split === 'string' ? text.replaceAll('"', '').split(layout.delimiter) : split;
      const entry = this.#entryOf(layout, fields);
      if (fields.length < layout.columns || 'reason' in entry || !ADDRESS.test(entry.server)) return false;
      return entry.server !== own.server || entry.gameId !== own.gameId;
    });
  }

  /**
   * Refuses the first line of the CSV record, because a quote in it is wrong. Parses the other lines again, because
   * each can be a valid record.
   */
  #refuseFirst(layout: CsvLayout, entries: ListEntry[]): void {
    const [first, ...others] = this.#pending;
    this.#pending = [];
    if (!first) return;
    const message =
      'The quotes are wrong; close each quote before a delimiter, and write a quote in a text twice.';
    entries.push(refusedLine(first.number, 'malformed_line', message));
    for (const line of others) this.#addLine(layout, line, entries);
  }
}

function wrongHeader(number: number, fault: string): CommandError {
  return new CommandError(
    exitStatus.failed,
    `line ${number}: ${fault} A CSV file starts with a header line such as: game_id,address`,
  );
}
