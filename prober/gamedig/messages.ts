import type { Endpoint } from '../answers/answer.ts';
import type { Posted, ThreadMessage } from '../threads/asked-thread.ts';
import type { GamedigAccess } from './access.ts';

/** What the pool asks its threads. */
export interface GamedigQuestion {
  /** What gamedig calls the game. */
  game: string;
  endpoint: Endpoint;
  timeoutMs: number;
  /** Absent if the game takes neither secret nor options. */
  access?: GamedigAccess | undefined;
}

export type GamedigQuery = Posted<GamedigQuestion>;
export type GamedigMessage = ThreadMessage;
