import type { Endpoint } from '../answers/answer.ts';
import type { Posted, ThreadMessage } from '../threads/query-thread.ts';
import type { GamedigAccess } from './access.ts';

/** A question from the pool to one of its threads. */
export interface GamedigQuestion {
  /** gamedig's id of the game. */
  game: string;
  endpoint: Endpoint;
  timeoutMs: number;
  /** Absent if the game takes neither a secret nor options. */
  access?: GamedigAccess | undefined;
}

export type GamedigQuery = Posted<GamedigQuestion>;
export type GamedigMessage = ThreadMessage;
