import type { Status } from '../servers/server-record.ts';

/** Possible orders of a list of servers. `players`: most first. */
export const sorts = ['players', '-players', 'name', '-name'] as const;
export type Sort = (typeof sorts)[number];

/** Place in a sorted list of servers: after the server that has, or had, these values. */
export interface ListPosition {
  /** Number of players; 0 if the list is sorted by name. */
  readonly players: number;
  /** Words of the name in folded form (`foldWords`); empty if the list is sorted by players. */
  readonly words: string;
  readonly gameId: string;
  readonly address: string;
}

/** A search for tracked servers. */
export interface SearchQuery {
  /** Id of a game; empty for all games. */
  readonly gameId: string;
  /** Stored status; undefined for all. What time alone changes is not considered. */
  readonly status: Status | undefined;
  /** Words in any form. Each must be the beginning of a word of the server's name. */
  readonly words: string;
  /** Minimum number of players. Servers that are not online count as empty. */
  readonly playersMin: number;
  /** Map in any case; empty for all. */
  readonly map: string;
  /** Version in any case; empty for all. */
  readonly version: string;
  readonly password: boolean | undefined;
  /** Id of the token whose servers are searched; undefined for all. */
  readonly insertedBy: string | undefined;
  readonly sort: Sort;
  readonly limit: number;
  /** Undefined for the first page. */
  readonly after: ListPosition | undefined;
}

/** A page of found servers. */
export interface SearchPage {
  /** The `serverKey`s of the servers, in the order of the list. */
  readonly keys: readonly string[];
  /** Number of servers in all pages. */
  readonly total: number;
  /** Position of the next page; undefined if this is the last page. */
  readonly next: ListPosition | undefined;
}

/** Which servers a summary counts. */
export interface SummaryQuery {
  /** Id of a game; empty for all games. */
  readonly gameId: string;
  /** Id of the token whose servers are counted; undefined for all. */
  readonly insertedBy: string | undefined;
}

/** Numbers of servers of one game. */
export interface GameCount {
  readonly gameId: string;
  readonly servers: number;
  readonly online: number;
  /** Number of players on the servers that are online. */
  readonly players: number;
}
