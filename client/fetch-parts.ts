import type {
  RestFetchAnswer,
  RestGroup,
  RestMeta,
  RestMissing,
  RestPayload,
} from './rest-types.generated.ts';

/** Maximum number of server addresses in one fetch request. */
export const MAX_ADDRESSES = 1_000;

/** The result of a fetch, which can consist of the answers to several requests. */
export interface RestFetchResult {
  /** The servers of the answer, keyed by address. The address is spelled exactly as in the request. */
  servers: Map<string, RestPayload | RestMissing>;
  meta: RestMeta;
}

/** Splits the addresses of a fetch into requests with at most 1,000 addresses each, in the same order. */
export function splitGroups(groups: readonly RestGroup[]): RestGroup[][] {
  const requests: RestGroup[][] = [[]];
  let room = MAX_ADDRESSES;
  for (const { game_id, servers } of groups) {
    for (let start = 0; start < servers.length; ) {
      if (room === 0) {
        requests.push([]);
        room = MAX_ADDRESSES;
      }
      const part = servers.slice(start, start + room);
      requests.at(-1)?.push({ game_id, servers: part });
      start += part.length;
      room -= part.length;
    }
  }
  return requests;
}

/**
 * Adds one answer to the result of a fetch. A fetch of more than `MAX_ADDRESSES` addresses consists of several
 * requests, and each request has its own answer.
 */
export function addAnswer(result: RestFetchResult, answer: RestFetchAnswer): void {
  const { _meta: meta, ...servers } = answer;
  // Copies the servers into a Map. In an object, an address such as `__proto__` would collide with a property that
  // every object has.
  for (const [address, server] of Object.entries(servers as Record<string, RestPayload | RestMissing>))
    result.servers.set(address, server);
  result.meta.auto_inserted += meta.auto_inserted;
  result.meta.inserted_servers.push(...meta.inserted_servers);
  result.meta.invalid_servers.push(...meta.invalid_servers);
  if (meta.duplicate_servers)
    result.meta.duplicate_servers = [...(result.meta.duplicate_servers ?? []), ...meta.duplicate_servers];
}

/** Returns an empty result of a fetch, to which answers can be added. */
export function emptyResult(): RestFetchResult {
  return { servers: new Map(), meta: { auto_inserted: 0, inserted_servers: [], invalid_servers: [] } };
}
