import { setTimeout as sleep } from 'node:timers/promises';
import type { CountPartResponse__Output } from '../../proto/generated/gsq/v1/CountPartResponse.ts';
import type { SearchPartResponse__Output } from '../../proto/generated/gsq/v1/SearchPartResponse.ts';
import type { ServerSearch } from '../search/search-index.ts';
import type { GameCount, ListPosition, SearchQuery, SummaryQuery } from '../search/search-query.ts';
import type { ServerRecord } from '../servers/server-record.ts';
import type { ServerStore } from '../servers/server-store.ts';
import { decodeStored } from '../servers/stored-record.ts';
import { askPeer, type PeerCall, type PeerConnections, partAway } from './ask-peer.ts';
import { type FoundRow, mergePages } from './merge-pages.ts';
import { areComplete, type OwnedBuckets } from './owned-buckets.ts';
import { scopeMessage, searchMessage } from './search-messages.ts';

/** Time for which a search waits for another core, ms. A search of a million servers takes up to 100 ms. */
const TIMEOUT_MS = 5_000;
/**
 * Pauses before a search is repeated, ms. It is repeated if buckets moved between cores during the search, because
 * servers of these buckets can be missing in its result.
 */
const PAUSES_MS = [200, 800, 2_000];

/** Options of `ClusterSearch`. */
export interface ClusterSearchOptions {
  /** Search index of the servers of this core. */
  search: ServerSearch;
  /** Store of the servers of this core. */
  store: Pick<ServerStore, 'getMany'>;
  peers: PeerConnections;
  owned: Pick<OwnedBuckets, 'during'>;
  /** Time for which a search waits for another core, ms. Default: TIMEOUT_MS. */
  timeoutMs?: number;
  /** Waits before a search is repeated. */
  pause?: (ms: number) => Promise<void>;
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
 * ServiceError CORE_1 if a core does not answer, or if some servers have no owner that can read them. A result is
 * therefore never silently incomplete. While servers move between cores, a search waits up to three seconds for the end
 * of the move.
 */
export class ClusterSearch {
  readonly #options: ClusterSearchOptions;

  constructor(options: ClusterSearchOptions) {
    this.#options = options;
  }

  /**
   * Returns one page of the servers that match a query. Rejects with ServiceError CORE_1 if some servers cannot be
   * read; the caller can then try again.
   */
  async search(query: SearchQuery): Promise<FoundServers> {
    const { search, store } = this.#options;
    // Asks each core for one server more than the page needs, to know whether there is a next page.
    const wanted: SearchQuery = { ...query, limit: query.limit + 1, withPositions: true };
    const request = searchMessage(wanted);
    const { own, others } = await this.#askAll(
      async () => {
        const { keys, positions = [], total } = await search.search(wanted);
        return { records: store.getMany(keys), positions, total };
      },
      (client, ...rest: Rest<SearchPartResponse__Output>) => client.searchPart(request, ...rest),
    );
    const ownRows = own.positions.map((position, i): FoundRow<RecordForm> => {
      return { position, content: own.records[i] };
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
    const { search } = this.#options;
    const request = { gameId: query.gameId, scope: scopeMessage(query.scope) };
    const { own, others } = await this.#askAll(
      () => search.count(query),
      (client, ...rest: Rest<CountPartResponse__Output>) => client.countPart(request, ...rest),
    );
    return sumCounts([own, ...others.map(({ games }) => games)]);
  }

  /**
   * Asks this core and all other cores, until their answers together contain all servers. Rejects with ServiceError
   * CORE_1 if a core does not answer, or if servers are still missing after the last pause.
   */
  async #askAll<Own, Part extends { buckets: Buffer }>(
    askOwn: () => Promise<Own>,
    ask: PeerCall<Part>,
  ): Promise<{ own: Own; others: Part[] }> {
    const { peers, owned, timeoutMs = TIMEOUT_MS, pause = sleepFor } = this.#options;
    for (let tries = 0; ; tries++) {
      const [{ result, buckets }, ...others] = await Promise.all([
        owned.during(askOwn),
        ...peers.others.map(member => askPeer<Part>(peers, member, timeoutMs, ask)),
      ]);
      if (areComplete([buckets, ...others.map(other => other.buckets)])) return { own: result, others };
      const pauseMs = PAUSES_MS[tries];
      if (pauseMs === undefined) throw partAway();
      await pause(pauseMs);
    }
  }
}

/** The arguments of a `PeerCall` after the client. */
type Rest<Answer> = Parameters<PeerCall<Answer>> extends [unknown, ...infer Others] ? Others : never;

async function sleepFor(ms: number): Promise<void> {
  await sleep(ms);
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
