import type { Answer, Endpoint } from '../transport/answer.ts';

/** What the pool sends its workers. */
export interface GamedigQuery {
  id: number;
  /** What gamedig calls the game. */
  game: string;
  endpoint: Endpoint;
  timeoutMs: number;
}

/** What a worker sends back: once that it has loaded, then an answer for each query. */
export type GamedigMessage = { kind: 'ready' } | { kind: 'answer'; id: number; answer: Answer };
