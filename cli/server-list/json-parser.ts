import type { Line } from './line-splitter.ts';
import { entryOf, type ListEntry, type ListParser, refusedLine } from './list-entry.ts';

const SHAPE = '{"game_id":"…","server":"host:port"}';

/** Reads JSON lines: an object with the keys `game_id` and `server` in each line. Ignores other keys. */
export class JsonParser implements ListParser {
  readonly #game: string;

  constructor(game: string) {
    this.#game = game;
  }

  readLine(line: Line): ListEntry[] {
    const { number } = line;
    if ('reason' in line) return [refusedLine(number, line.reason, line.message)];
    if (line.text.trim() === '') return [];
    let value: unknown;
    try {
      value = JSON.parse(line.text);
    } catch {
      return [
        refusedLine(number, 'malformed_line', `The line is not JSON; write one object in a line: ${SHAPE}`),
      ];
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return [refusedLine(number, 'malformed_line', `The line is not a JSON object; write ${SHAPE}`)];
    const { game_id: gameId, server } = value as Record<string, unknown>;
    for (const [key, found] of Object.entries({ game_id: gameId, server })) {
      if (found !== undefined && found !== null && typeof found !== 'string')
        return [refusedLine(number, 'malformed_line', `The value of ${key} is not a string; write ${SHAPE}`)];
    }
    const texts = { gameId: textOf(gameId), server: textOf(server) };
    return [entryOf(number, texts, this.#game)];
  }

  end(): ListEntry[] {
    return [];
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
