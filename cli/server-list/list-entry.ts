import type { Line, LineReason } from './line-splitter.ts';

/**
 * A server of a list: a game and an address, exactly as the file contains them. They can be invalid: only the core
 * checks them.
 */
export interface ListedServer {
  /** Number of the line in the file. In CSV, the number of the first line of the record. */
  line: number;
  gameId: string;
  server: string;
}

/** A line of a server list that gsq has refused, with the reason. */
export interface Refusal {
  line: number;
  /** The game and the address in the line; both are null if gsq could not read the line. */
  gameId: string | null;
  server: string | null;
  /** Why gsq refused the line of the server list: a `LineReason`, or a reason that the core returned. */
  reason: string;
  /** Text for people: what is wrong with the line, and how to correct the line. */
  message: string;
}

/** Result of reading one line of a server list. Blank lines and comments have no result. */
export type ListEntry = ListedServer | Refusal;

/**
 * Parser for one format of server lists. Reads the lines of a list in order. A record can have several lines. Each
 * method returns the results of the records that are now complete.
 */
export interface ListParser {
  readLine(line: Line): ListEntry[];
  /** Tells the parser that the list has ended. Call this method after the last line of the list was read. */
  end(): ListEntry[];
}

/** Creates the result of an unreadable line of a server list. */
export function refusedLine(line: number, reason: LineReason, message: string): Refusal {
  return { line, gameId: null, server: null, reason, message };
}

/**
 * Creates the entry of one line of a server list. `values`: game and address in the line. `game`: the game for a line
 * without a game; '' if there is none.
 */
export function entryOf(
  line: number,
  values: { gameId: string | undefined; server: string | undefined },
  game: string,
): ListEntry {
  // Replaces unpaired surrogates, which JSON can contain. Otherwise gRPC would replace them on the way to the core,
  // and gsq would not find the server in the answer of the core.
  const gameId = (values.gameId?.trim() || game).toWellFormed();
  const server = (values.server?.trim() ?? '').toWellFormed();
  if (gameId === '')
    return refusedLine(line, 'missing_value', 'The game is missing; add it, or use --game <id>.');
  if (server === '') return refusedLine(line, 'missing_value', 'The address is missing; write host:port.');
  return { line, gameId, server };
}
