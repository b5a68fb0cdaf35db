import type { TargetRules } from '../../proto/targets.ts';
import type { Answer, Endpoint } from '../transport/answer.ts';
import type { GamedigAccess } from './access.ts';

/** What the pool gives its workers at their start. */
export interface GamedigWorkerData {
  /** As `Resolver` takes them. */
  dnsServers: readonly string[];
}

/** Where directories may be, from now on. Before the first it is public addresses alone. */
export interface GamedigTargets {
  kind: 'targets';
  rules: TargetRules;
}

/** What the pool sends its workers. */
export interface GamedigQuery {
  kind: 'query';
  id: number;
  /** What gamedig calls the game. */
  game: string;
  endpoint: Endpoint;
  timeoutMs: number;
  /** Absent if the game takes neither secret nor options. */
  access?: GamedigAccess | undefined;
}

/** What a worker sends back: once that it has loaded, then an answer for each query. */
export type GamedigMessage = { kind: 'ready' } | { kind: 'answer'; id: number; answer: Answer };
