import type { AddressGroup } from '../../proto/generated/codec/fetch.ts';
import type { RenderedServers } from '../../proto/streams/render-service.ts';
import type { InvalidPair } from './pair-check.ts';
import type { ServerRecord } from './server-record.ts';
import type { ServerView } from './server-view.ts';

/**
 * Maximum number of addresses in one request, for all games together. A request with more addresses is refused with
 * POST_3 (CONTRACT, the API contract).
 */
export const MAX_ADDRESSES = 1000;

/** Addresses of one game, in the form in which the caller wrote them. */
export interface ServerGroup {
  gameId: string;
  servers: readonly string[];
}

/** One pair of game and address, in the form in which the caller wrote it, with the result of the fetch. */
export interface FetchedPair {
  gameId: string;
  server: string;
  /**
   * Record of the server. Absent if the pair of game and address is invalid, or if the server was removed during the
   * fetch.
   */
  record?: ServerRecord;
  /** Reason why the pair of game and address is invalid. Absent if the pair is valid. */
  invalid?: InvalidPair;
  /** True if this fetch inserted the server. */
  inserted: boolean;
}

/** Receives the results of a fetch one by one, in the order of the request. */
export interface FetchSink {
  /**
   * Receives a server that gsq tracks, or that gsq has given up because the server never answered. `server` is valid
   * only during this call. `text` contains the requested address from `start` to `end`. The address has no characters
   * that JSON must escape.
   */
  known(gameId: string, text: Buffer, start: number, end: number, server: ServerView): void;
  /**
   * Receives a tracked server of another core, which has already encoded the server for the answer. The encoded server
   * is in `rendered`, at position `index`. `text` contains the requested address from `start` to `end`.
   */
  rendered(
    gameId: string,
    text: Buffer,
    start: number,
    end: number,
    rendered: RenderedServers,
    index: number,
  ): void;
  invalid(gameId: string, server: string, invalid: InvalidPair): void;
}

/** Returns the number of addresses in a request. Each group of the request contains the addresses of one game. */
export function countAddresses(groups: readonly ServerGroup[]): number {
  return groups.reduce((sum, group) => sum + group.servers.length, 0);
}

/**
 * Returns the number of addresses in a request. Each group of the request contains the addresses of one game. `spans`
 * contains two numbers for each address: its start and its end in `bytes`.
 */
export function countSpans(groups: readonly AddressGroup[]): number {
  let spans = 0;
  for (const group of groups) spans += group.spans.length;
  return spans / 2;
}

/**
 * Decodes the addresses of a request from bytes to strings. Each group of the request has the addresses of one game.
 */
export function asText(groups: readonly AddressGroup[]): ServerGroup[] {
  return groups.map(({ gameId, bytes, spans }) => {
    const servers: string[] = [];
    for (let i = 0; i < spans.length; i += 2) servers.push(bytes.toString('utf8', spans[i], spans[i + 1]));
    return { gameId, servers };
  });
}
