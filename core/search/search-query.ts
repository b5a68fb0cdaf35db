import type { Status } from '../servers/server-record.ts';

/**
 * The possible orders of a list of servers. `players` means most players first, and a minus sign reverses the order.
 */
export const sorts = ['players', '-players', 'name', '-name'] as const;
export type Sort = (typeof sorts)[number];

/**
 * Position in a sorted list of servers: directly after the server with these values. The position stays valid even if
 * this server changes or is removed.
 */
export interface ListPosition {
  /**
   * Number of players of the server directly before this position in a list sorted by players. 0 in a list sorted by
   * name.
   */
  readonly players: number;
  /**
   * Normalised name (`foldWords`) of the server directly before this position in a list sorted by name. Empty in a list
   * sorted by players.
   */
  readonly words: string;
  readonly gameId: string;
  readonly address: string;
}

/**
 * The tracked servers that a caller can see: all servers, the servers that the operator listed publicly, or the servers
 * that one token inserted (`insertedBy`: id of the token).
 */
export type Scope = 'all' | 'public' | { readonly insertedBy: string };

/** A search for tracked servers. */
export interface SearchQuery {
  /** Id of the game whose servers the search looks for; empty for all games. */
  readonly gameId: string;
  /**
   * Status of the servers to look for; undefined for any status. The search compares it with the stored status. If the
   * data of a server is stale, the answer can show a different status.
   */
  readonly status: Status | undefined;
  /** Search words, in upper or lower case. Each of them must be the beginning of a word in the server's name. */
  readonly words: string;
  /** Minimum number of players of the servers to look for. Servers that are not online count as empty. */
  readonly playersMin: number;
  /** Map to look for, in upper or lower case; empty for all maps. */
  readonly map: string;
  /** Server version to look for, in upper or lower case; empty for all versions. */
  readonly version: string;
  readonly password: boolean | undefined;
  /** The servers that the caller may see. The search finds only these servers. */
  readonly scope: Scope;
  readonly sort: Sort;
  readonly limit: number;
  /** Position in the sorted list after which the page of results begins; undefined for the first page. */
  readonly after: ListPosition | undefined;
  /**
   * True if the search must also return the position of each found server. With these positions, the pages of several
   * cores are merged.
   */
  readonly withPositions?: boolean;
}

/** One page of the servers that a search found. */
export interface SearchPage {
  /** Keys (`serverKey`) of the found servers, in the order of the list. */
  readonly keys: readonly string[];
  /** Number of servers that match the search, in all pages together. */
  readonly total: number;
  /** Position in the list after which the next page begins; undefined if this is the last page. */
  readonly next: ListPosition | undefined;
  /** Position of each found server in the sorted list. Undefined if the query does not ask for positions. */
  readonly positions?: readonly ListPosition[] | undefined;
}

/** Selects the servers that a summary counts. A summary contains the number of servers and of players of each game. */
export interface SummaryQuery {
  /** Id of the game whose servers the summary counts; empty for all games. */
  readonly gameId: string;
  /** The servers that the caller may see. The summary counts only these servers. */
  readonly scope: Scope;
}

/** Numbers of servers and players of one game. */
export interface GameCount {
  readonly gameId: string;
  readonly servers: number;
  readonly online: number;
  /** Number of players on the online servers of the game. */
  readonly players: number;
}
