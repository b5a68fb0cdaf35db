import type { CountPartResponse__Output } from '../../proto/generated/gsq/v1/CountPartResponse.ts';
import type { SearchPartResponse__Output } from '../../proto/generated/gsq/v1/SearchPartResponse.ts';
import type { ServerSearch } from '../search/search-index.ts';
import type { GameCount, ListPosition, SearchQuery, SummaryQuery } from '../search/search-query.ts';
import type { ServerRecord } from '../servers/server-record.ts';
import type { ServerStore } from '../servers/server-store.ts';
import { decodeStored } from '../servers/stored-record.ts';
import { askPeer, type PeerConnections } from './ask-peer.ts';
import { type FoundRow, mergePages } from './merge-pages.ts';
import { scopeMessage, searchMessage } from './search-messages.ts';

/** Time for which a search waits for another core, ms. A search of a million servers takes up to 100 ms. */
const TIMEOUT_MS = 5_000;

/** Options of `ClusterSearch`. */
export interface ClusterSearchOptions {
  /** Search index of the servers of this core. */
  search: ServerSearch;
  /** Store of the servers of this core. */
  store: Pick<ServerStore, 'getMany'>;
  peers: PeerConnections;
  /** Time for which a search waits for another core, ms. Default: TIMEOUT_MS. */
  timeoutMs?: number;
}

/** One page of the servers that a search found on all cores. */
export interface FoundServers {
  readonly records: readonly ServerRecord[];
  /** Number of servers that match the search, in all pages together. */
  readonly total: number;
  /** The next page begins after this position in the list of servers; undefined if this is the last page. */
  readonly next: ListPosition | undefined;
}

/**
 * Record of a server that matches the search: decoded if this core owns the server, encoded if another core sent it.
 */
type RecordForm = ServerRecord | Buffer;

/**
 * Searches and counts the servers of all cores of a cluster, and merges the answers. All methods reject with
 * ServiceError CORE_1 if a core does not answer. While servers move between cores, totals can be wrong, but no server
 * is found twice.
 */
export class ClusterSearch {
  readonly #options: ClusterSearchOptions;

  constructor(options: ClusterSearchOptions) {
    this.#options = options;
  }

  /**
   * Returns one page of the servers that match a query. Rejects with ServiceError CORE_1 if a core does not answer; the
   * caller can then try again.
   */
  async search(query: SearchQuery): Promise<FoundServers> {
    const { search, store, peers } = this.#options;
    // Asks each core for one server more than the page needs, to know whether there is a next page.
    const wanted: SearchQuery = { ...query, limit: query.limit + 1, withPositions: true };
    const request = searchMessage(wanted);
    const [own, ...others] = await Promise.all([
      search.search(wanted),
      ...peers.others.map(member =>
        askPeer<SearchPartResponse__Output>(peers, member, this.#timeoutMs, (client, ...rest) =>
          client.searchPart(request, ...rest),
        ),
      ),
    ]);
    const records = store.getMany(own.keys);
    const ownRows = (own.positions ?? []).map((position, i): FoundRow<RecordForm> => {
      return { position, content: records[i] };
    });
    const pages = [ownRows, ...others.map(rowsOf)];
    const { servers, next } = mergePages(pages, query.sort, query.limit);
    return {
      records: servers.map(({ key, content }) =>
        Buffer.isBuffer(content) ? decodeStored(key, content) : content,
      ),
      total: others.reduce((sum, { total }) => sum + total, own.total),
      next,
    };
  }

  /** Counts the servers of all cores by game. Rejects with the same errors as `search`. */
  async count(query: SummaryQuery): Promise<GameCount[]> {
    const { search, peers } = this.#options;
    const request = { gameId: query.gameId, scope: scopeMessage(query.scope) };
    const [own, ...others] = await Promise.all([
      search.count(query),
      ...peers.others.map(member =>
        askPeer<CountPartResponse__Output>(peers, member, this.#timeoutMs, (client, ...rest) =>
          client.countPart(request, ...rest),
        ),
      ),
    ]);
    return sumCounts([own, ...others.map(({ games }) => games)]);
  }

  get #timeoutMs(): number {
    return this.#options.timeoutMs ?? TIMEOUT_MS;
  }
}

function rowsOf({ servers }: SearchPartResponse__Output): FoundRow<RecordForm>[] {
  return servers.flatMap(({ position, record }): FoundRow<RecordForm>[] => {
    return position ? [{ position, content: record.length > 0 ? record : undefined }] : [];
  });
}

/** Adds up the counts of servers and players that several cores returned, separately for each game. */
function sumCounts(parts: readonly (readonly GameCount[])[]): GameCount[] {
  const sums = new Map<string, GameCount>();
  for (const { gameId, servers, online, players } of parts.flat()) {
    const sum = sums.get(gameId);
    sums.set(gameId, {
      gameId,
      servers: servers + (sum?.servers ?? 0),
      online: online + (sum?.online ?? 0),
      players: players + (sum?.players ?? 0),
    });
  }
  return [...sums.values()];
}
