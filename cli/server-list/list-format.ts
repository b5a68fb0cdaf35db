import { extname } from 'node:path';
import { UsageError } from '../console/command.ts';
import { CsvParser } from './csv-parser.ts';
import { readHeader } from './csv-record.ts';
import { JsonParser } from './json-parser.ts';
import type { ListParser } from './list-entry.ts';
import { TextParser } from './text-parser.ts';

/** Format of a list of servers: `game address` lines, CSV, or JSON lines. */
export type ListFormat = 'text' | 'csv' | 'jsonl';

/** An entry of a server list that gsq writes to a file: a game and the address of a server. */
interface WrittenServer {
  gameId: string;
  server: string;
}

interface FormatRules {
  /** File name extensions of this format of server lists, in lower case. */
  extensions: readonly string[];
  /**
   * Creates the parser of this format of server lists. `game`: default game, for lines that name no game; '' if there
   * is no default.
   */
  parser: new (
    game: string,
  ) => ListParser;
  /** First line of a server list that gsq writes: the column names in CSV, empty in other formats. */
  header: string;
  /** Returns the line for one server in a server list of this format, with its line end. */
  line(server: WrittenServer): string;
}

/** The properties and functions of each format of server lists. */
export const listFormats: Readonly<Record<ListFormat, FormatRules>> = {
  text: {
    extensions: ['.txt', '.list'],
    parser: TextParser,
    header: '',
    line: ({ gameId, server }) => `${gameId} ${server}\n`,
  },
  csv: {
    extensions: ['.csv', '.tsv'],
    parser: CsvParser,
    header: 'game_id,address\r\n',
    // gsq writes CSV fields without quotes: a game id contains only [a-z0-9], and an address contains no delimiter or
    // quote. A spreadsheet reads no address as a formula, because an address starts with a letter, digit, `_` or `[`.
    line: ({ gameId, server }) => `${gameId},${server}\r\n`,
  },
  jsonl: {
    extensions: ['.jsonl', '.ndjson', '.json'],
    parser: JsonParser,
    header: '',
    line: ({ gameId, server }) => `${JSON.stringify({ game_id: gameId, server })}\n`,
  },
};

const names = Object.keys(listFormats) as ListFormat[];

/**
 * Returns the format from the option `--format`, or else from the file name extension; undefined if neither names a
 * format. Throws UsageError if the value of `--format` is unknown.
 */
export function namedFormat(option: string | undefined, file: string): ListFormat | undefined {
  if (option === undefined) {
    const extension = extname(file).toLowerCase();
    return names.find(name => listFormats[name].extensions.includes(extension));
  }
  const format = names.find(name => name === option);
  if (!format) throw new UsageError(`--format: "${option}" is not a format; write ${names.join(', ')}`);
  return format;
}

/** Guesses the format of a server list from its first line that is neither blank nor a comment. */
export function guessedFormat(firstLine: string): ListFormat {
  if (/^\s*[{[]/.test(firstLine) && !/^\s*\[[0-9a-f:.]+\]:/i.test(firstLine)) return 'jsonl';
  return readHeader(firstLine) ? 'csv' : 'text';
}
