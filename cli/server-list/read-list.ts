import { type Line, LineSplitter } from './line-splitter.ts';
import { type ListEntry, type ListParser, refusedLine } from './list-entry.ts';
import { guessedFormat, type ListFormat, listFormats } from './list-format.ts';

/** Options for reading a list of servers. */
export interface ListOptions {
  /** Format of the server list. If undefined, the format is guessed from the content of the list. */
  format: ListFormat | undefined;
  /** Default game, for lines of the server list that name no game; '' if there is no default. */
  game: string;
}

/**
 * Reads a list of servers, which arrives in `chunks` of bytes. For each chunk, yields the results of the lines that end
 * in this chunk, in order. Keeps at most one chunk and one record in memory. Throws CommandError if the list is CSV and
 * has no usable header line.
 */
export async function* readList(
  chunks: AsyncIterable<Uint8Array>,
  { format, game }: ListOptions,
): AsyncGenerator<ListEntry[]> {
  const splitter = new LineSplitter();
  let parser: ListParser | undefined = format && new listFormats[format].parser(game);
  const readLine = (line: Line): ListEntry[] => {
    if (parser) return parser.readLine(line);
    if ('reason' in line) return [refusedLine(line.number, line.reason, line.message)];
    if (/^\s*(?:#|$)/.test(line.text)) return [];
    parser = new listFormats[guessedFormat(line.text)].parser(game);
    return parser.readLine(line);
  };
  for await (const chunk of chunks) yield [...splitter.push(chunk)].flatMap(readLine);
  yield [...splitter.end()].flatMap(readLine);
  yield parser?.end() ?? [];
}
