import type { Endpoint } from '../answers/answer.ts';
import type { Posted, ThreadMessage } from '../threads/query-thread.ts';
import type { GamedigAccess } from './access.ts';

/** A query that the gamedig pool sends to one of its worker threads. */
export interface GamedigQuestion {
  /** Id of the game in gamedig. */
  game: string;
  endpoint: Endpoint;
  timeoutMs: number;
  /** Secret and options of the game server; absent if the game takes neither. */
  access?: GamedigAccess | undefined;
}

/** Message that requests a query from a gamedig worker thread. */
export type GamedigQuery = Posted<GamedigQuestion>;
/** Message from a gamedig worker thread to the main thread. */
export type GamedigMessage = ThreadMessage;
