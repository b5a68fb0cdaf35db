import type { Posted, ThreadMessage } from '../threads/asked-thread.ts';
import type { Endpoint } from '../transport/answer.ts';

/** What the pool asks its threads. */
export interface GamedigQuestion {
  /** What gamedig calls the game. */
  game: string;
  endpoint: Endpoint;
  timeoutMs: number;
}

export type GamedigQuery = Posted<GamedigQuestion>;
export type GamedigMessage = ThreadMessage;
