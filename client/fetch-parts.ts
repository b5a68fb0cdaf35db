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

/**
 * Splits the addresses of a fetch into requests with at most 1,000 addresses each, in the same order. A fetch can
 * contain an address for two games. Then one request contains this address for both games, and the service decides for
 * which game it returns data.
 */
export function splitGroups(groups: readonly RestGroup[]): RestGroup[][] {
  const counts = new Map<string, number>();
  for (const server of groups.flatMap(group => group.servers))
    counts.set(server, (counts.get(server) ?? 0) + 1);
  const parts = [new Set<string>()];
  let room = MAX_ADDRESSES;
  for (const [server, count] of counts) {
    if (room < count) {
      parts.push(new Set());
      room = MAX_ADDRESSES;
    }
    parts.at(-1)?.add(server);
    room -= count;
  }
  return parts.map(part =>
    groups
      .map(({ game_id, servers }) => ({ game_id, servers: servers.filter(server => part.has(server)) }))
      .filter(({ servers }) => servers.length > 0),
  );
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
