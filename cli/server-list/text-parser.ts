import type { Line } from './line-splitter.ts';
import { entryOf, type ListEntry, type ListParser, refusedLine } from './list-entry.ts';

/**
 * Reads lines of the form `<game> <address>`, or `<address>` if `game` is not empty. A word that starts with `#` begins
 * a comment.
 */
export class TextParser implements ListParser {
  readonly #game: string;

  constructor(game: string) {
    this.#game = game;
  }

  readLine(line: Line): ListEntry[] {
    const { number } = line;
    if ('reason' in line) return [refusedLine(number, line.reason, line.message)];
    const words = line.text.split(/\s+/).filter(word => word !== '');
    const comment = words.findIndex(word => word.startsWith('#'));
    const [first, second, ...more] = comment < 0 ? words : words.slice(0, comment);
    if (first === undefined) return [];
    if (more.length > 0)
      return [refusedLine(number, 'malformed_line', 'The line has more than two words; write: game address')];
    if (second !== undefined) return [entryOf(number, { gameId: first, server: second }, '')];
    if (this.#game !== '') return [entryOf(number, { gameId: undefined, server: first }, this.#game)];
    const message = 'The line has one word; write: game address. For a list of addresses, use --game <id>.';
    return [refusedLine(number, 'missing_value', message)];
  }

  end(): ListEntry[] {
    return [];
  }
}
