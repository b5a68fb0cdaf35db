import type { GameCount, SearchPage, SearchQuery, SummaryQuery } from './search-query.ts';

/** A message to the thread of the search index. The thread handles messages in the order in which they were sent. */
export type IndexRequest =
  /** Packed changes of servers (change-batch.ts), which the thread applies to the search index. */
  | { kind: 'changes'; batch: Uint8Array<ArrayBuffer> }
  | { kind: 'search'; id: number; query: SearchQuery }
  | { kind: 'count'; id: number; query: SummaryQuery };

/** A message from the thread of the search index. */
export type IndexReply =
  /** Says that the thread has applied a batch of changes. `bytes`: size of the batch. */
  | { kind: 'applied'; bytes: number }
  | { kind: 'found'; id: number; page: SearchPage }
  | { kind: 'counted'; id: number; games: GameCount[] };
