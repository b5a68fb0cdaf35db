import type { GameCount, SearchPage, SearchQuery, SummaryQuery } from './search-query.ts';

/** Data that the thread of the search index gets when it starts. */
export interface IndexSetup {
  /**
   * Expected number of servers in the search index. The thread of the index allocates memory for all of them when it
   * starts.
   */
  servers: number;
}

/** A message to the thread of the search index. The thread handles messages in the order in which they were sent. */
export type IndexRequest =
  /** Packed changes of servers (change-batch.ts), which the thread applies to the search index. */
  | { kind: 'changes'; batch: Uint8Array<ArrayBuffer> }
  | { kind: 'search'; id: number; query: SearchQuery }
  | { kind: 'count'; id: number; query: SummaryQuery };

/** A message from the thread of the search index. */
export type IndexReply =
  /**
   * Reply of the search index thread after it has applied a batch of changes. The batch is sent back, so that its
   * memory can be reused.
   */
  | { kind: 'applied'; batch: Uint8Array<ArrayBuffer> }
  | { kind: 'found'; id: number; page: SearchPage }
  | { kind: 'counted'; id: number; games: GameCount[] };
