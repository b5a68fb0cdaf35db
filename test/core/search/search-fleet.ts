import { foldText, foldWords } from '../../../core/search/folded-text.ts';
import type { Scope, SearchPage, SearchQuery } from '../../../core/search/search-query.ts';
import { newRecord } from '../../../core/servers/record-status.ts';
import { type ServerRecord, type Status, serverKey } from '../../../core/servers/server-record.ts';
import { encodePayload } from '../../../proto/codec/payload-object.ts';

/** The fields of a server that the search index contains. */
export interface KnownFields {
  gameId: string;
  address: string;
  insertedBy: string;
  status: Status;
  name: string;
  map: string;
  version: string;
  players: number | undefined;
  password: boolean;
  /** True if the operator listed the server publicly with the command `gsq servers list-publicly`. */
  isPublic?: boolean;
}

/** Returns a server record with the given field values. */
export function recordWith(fields: KnownFields): ServerRecord {
  const {
    gameId,
    address,
    insertedBy,
    status,
    name,
    map,
    version,
    players,
    password,
    isPublic = false,
  } = fields;
  const data = encodePayload({ name, map, version, password, ...(players !== undefined && { players }) });
  return { ...newRecord(gameId, address, insertedBy, 1, 60_000), status, isPublic, lastOnlineAt: 1, data };
}

/**
 * Returns a query that finds all servers, sorted by the number of players in descending order. `change` replaces single
 * fields of this query.
 */
export function queryOf(change: Partial<SearchQuery> = {}): SearchQuery {
  return {
    gameId: '',
    status: undefined,
    words: '',
    playersMin: 0,
    map: '',
    version: '',
    password: undefined,
    scope: 'all',
    sort: 'players',
    limit: 50,
    after: undefined,
    ...change,
  };
}

/** True if a scope (the servers that a caller may find) contains this server. */
export function isInScope({ insertedBy, isPublic }: KnownFields, scope: Scope): boolean {
  if (scope === 'all') return true;
  return scope === 'public' ? isPublic === true : insertedBy === scope.insertedBy;
}

/**
 * Naive search: compares every server with a query. Returns the keys of the matching servers, sorted as the query
 * demands.
 */
export function naiveSearch(servers: Iterable<KnownFields>, query: SearchQuery): string[] {
  const wanted = foldWords(query.words).split(' ');
  const found = [...servers].filter(
    server =>
      (query.gameId === '' || server.gameId === query.gameId) &&
      (query.status === undefined || server.status === query.status) &&
      (query.password === undefined || server.password === query.password) &&
      isInScope(server, query.scope) &&
      (query.map === '' || foldText(server.map) === foldText(query.map)) &&
      (query.version === '' || foldText(server.version) === foldText(query.version)) &&
      playersOf(server) >= query.playersMin &&
      wanted.every(word =>
        wordsOf(server.name)
          .split(' ')
          .some(other => other.startsWith(word)),
      ),
  );
  const sign = query.sort.startsWith('-') ? -1 : 1;
  const bySort = (a: KnownFields, b: KnownFields): number =>
    query.sort.endsWith('name')
      ? Buffer.compare(Buffer.from(wordsOf(a.name)), Buffer.from(wordsOf(b.name)))
      : playersOf(b) - playersOf(a);
  const keyOf = ({ gameId, address }: KnownFields): string => serverKey(gameId, address);
  return found.sort((a, b) => sign * bySort(a, b) || (keyOf(a) < keyOf(b) ? -1 : 1)).map(keyOf);
}

/**
 * Cache of folded names (names normalised for search), keyed by name. Without it, `foldWords` would take most of the
 * time of a test.
 */
const folded = new Map<string, string>();

function wordsOf(name: string): string {
  const words = folded.get(name) ?? foldWords(name);
  folded.set(name, words);
  return words;
}

function playersOf({ status, players }: KnownFields): number {
  return status === 'online' ? (players ?? 0) : 0;
}

/**
 * Runs a search query page by page. Returns the keys of all found servers. `search`: the function that returns one
 * page.
 */
export function walkPages(query: SearchQuery, search: (query: SearchQuery) => SearchPage): string[] {
  const keys: string[] = [];
  for (let page = search(query); ; page = search({ ...query, after: page.next })) {
    keys.push(...page.keys);
    if (!page.next) return keys;
  }
}
