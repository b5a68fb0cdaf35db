import { Metadata, type ServerUnaryCall } from '@grpc/grpc-js';
import { ByteWriter } from '../../proto/codec/byte-writer.ts';
import type { CallAccount } from '../../proto/generated/codec/fetch.ts';
import type { GetServerRequest__Output } from '../../proto/generated/gsq/v1/GetServerRequest.ts';
import type { GetSummaryRequest__Output } from '../../proto/generated/gsq/v1/GetSummaryRequest.ts';
import type { ServerServiceListServersRequest__Output } from '../../proto/generated/gsq/v1/ServerServiceListServersRequest.ts';
import type { FieldViolation } from '../../proto/service-error.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { ClusterSearch } from '../merge/cluster-search.ts';
import { writeListedServer } from '../render/listed-server.ts';
import { serverResult } from '../render/server-results.ts';
import { serverTag } from '../render/server-tag.ts';
import { pageTokenOf } from '../search/page-token.ts';
import type { ServerSearch } from '../search/search-index.ts';
import type { GameCount } from '../search/search-query.ts';
import type { ServerRecord } from '../servers/server-record.ts';
import type { ServerRecords } from '../servers/server-records.ts';
import type { Handlers } from './handler.ts';
import { jsonBody } from './json-body.ts';
import { badQuery, readGame, readListRequest } from './list-request.ts';
import { namedKey, trackedServer } from './named-server.ts';
import type { Reader, ReaderAdmission, Readers } from './readers.ts';
import { replyMetadata } from './reply-metadata.ts';
import { JsonPages, type JsonPagesDependencies, recordsOf, type ServerPage } from './server-page.ts';
import { shownRecord } from './shown-record.ts';

/** Dependencies of `trackedServers`, which creates the methods that show tracked servers. */
export interface TrackedServersDependencies extends JsonPagesDependencies {
  readers: Readers;
  records: Pick<ServerRecords, 'readRecords'>;
  catalog: Pick<Catalog, 'current'>;
  search: ServerSearch;
  /** Searches the servers of all cores; undefined if there is only this core. */
  clusterSearch?: Pick<ClusterSearch, 'search' | 'count'> | undefined;
}

type Call<Request> = Pick<ServerUnaryCall<Request, unknown>, 'metadata' | 'getPeer' | 'request'>;

/** Numbers of tracked servers and their players, in total and by game. */
interface Summary extends Omit<GameCount, 'gameId'> {
  games: GameCount[];
}

/** Answers the calls that read tracked servers: admits the caller, and finds the servers that the caller asks for. */
class TrackedServers {
  readonly #dependencies: TrackedServersDependencies;

  constructor(dependencies: TrackedServersDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Returns the tracked server that a request names. Rejects with ServiceError SERVER_1 if gsq does not track the
   * server, and with QUERY_1 if its address is malformed.
   */
  async findServer(
    call: Call<GetServerRequest__Output>,
    account: CallAccount,
  ): Promise<{ record: ServerRecord; reader: Reader }> {
    const { reader, charge } = await this.#admit(call, account);
    const key = namedKey(this.#dependencies, call.request);
    charge();
    const record = await trackedServer(this.#dependencies, key, reader);
    return { record: shownRecord(reader, record), reader };
  }

  /**
   * Returns one page of a list of tracked servers. Rejects with ServiceError QUERY_1 if the request is not valid, and
   * with CORE_1 if the search is not available.
   */
  async listServers(
    call: Call<ServerServiceListServersRequest__Output>,
    account: CallAccount,
  ): Promise<ServerPage> {
    const { catalog, search, clusterSearch } = this.#dependencies;
    const { reader, charge } = await this.#admit(call, account);
    const query = readListRequest(call.request, catalog.current(), reader.scope);
    charge();
    const { total, next, ...found } = await (clusterSearch ?? search).search(query);
    return { reader, ...found, nextPageToken: next ? pageTokenOf(query, next) : '', total };
  }

  /**
   * Returns a summary of the tracked servers. Rejects with ServiceError QUERY_1 if the request is not valid, and with
   * CORE_1 if the search is not available.
   */
  async countServers(call: Call<GetSummaryRequest__Output>, account: CallAccount): Promise<Summary> {
    const { catalog, search, clusterSearch } = this.#dependencies;
    const { reader, charge } = await this.#admit(call, account);
    const faults: FieldViolation[] = [];
    const gameId = readGame(call.request.game, catalog.current(), faults);
    if (faults.length > 0) throw badQuery(faults);
    charge();
    return summaryOf(await (clusterSearch ?? search).count({ gameId, scope: reader.scope }));
  }

  async #admit(call: Call<unknown>, account: CallAccount): Promise<ReaderAdmission> {
    const admission = await this.#dependencies.readers.admit(call);
    account.tokenId = admission.reader.tokenId;
    return admission;
  }
}

/** Creates the methods of ServerService that show tracked servers and insert none. */
export function trackedServerMethods(dependencies: TrackedServersDependencies, handlers: Handlers) {
  const { freshness, now, store } = dependencies;
  const servers = new TrackedServers(dependencies);
  const pages = new JsonPages(dependencies);
  // All calls can share one ByteWriter, because each call writes its whole answer synchronously.
  const writer = new ByteWriter();
  type GetCall = ServerUnaryCall<GetServerRequest__Output, unknown>;
  type ListCall = ServerUnaryCall<ServerServiceListServersRequest__Output, unknown>;
  type CountCall = ServerUnaryCall<GetSummaryRequest__Output, unknown>;

  return {
    GetServer: handlers.unary(async (call: GetCall, account) => {
      const { record } = await servers.findServer(call, account);
      return { server: serverResult(namesOf(record), record, now(), freshness) };
    }),

    GetServerJson: handlers.unary(async (call: GetCall, account) => {
      const { record, reader } = await servers.findServer(call, account);
      const time = now();
      writer.length = 0;
      writeListedServer(writer, record, time, freshness);
      const etag = serverTag(record, time, freshness);
      replyMetadata(call).merge(cachingMetadata(etag, reader, record.nextProbeAt - time));
      return jsonBody(writer.takeBytes());
    }),

    ListServers: handlers.unary(async (call: ListCall, account) => {
      const page = await servers.listServers(call, account);
      const time = now();
      const results = recordsOf(store, page).map(record =>
        serverResult(namesOf(record), record, time, freshness),
      );
      return { servers: results, nextPageToken: page.nextPageToken, totalSize: page.total };
    }),

    ListServersJson: handlers.unary(async (call: ListCall, account) =>
      pages.answer(call, await servers.listServers(call, account)),
    ),

    GetSummary: handlers.unary((call: CountCall, account) => servers.countServers(call, account)),

    GetSummaryJson: handlers.unary(async (call: CountCall, account) => {
      const { games, ...sums } = await servers.countServers(call, account);
      const byGame = games.map(({ gameId, ...numbers }) => ({ game_id: gameId, ...numbers }));
      return jsonBody(Buffer.from(JSON.stringify({ ...sums, games: byGame })));
    }),
  };
}

function namesOf({ gameId, address }: ServerRecord): { gameId: string; server: string } {
  return { gameId, server: address };
}

/**
 * Returns the initial metadata that the gateway turns into the headers `etag` and `cache-control` of its answer. `ms`:
 * time until the next probe; the answer can be cached until then.
 */
function cachingMetadata(etag: string, { isStranger }: Reader, ms: number): Metadata {
  const metadata = new Metadata();
  metadata.set('etag', etag);
  const scope = isStranger ? 'public' : 'private';
  metadata.set('cache-control', `${scope}, max-age=${Math.max(0, Math.floor(ms / 1000))}`);
  return metadata;
}

/** Returns the numbers of servers and players, in total and for each game. Games with the most players come first. */
function summaryOf(counts: readonly GameCount[]): Summary {
  const sorted = [...counts].sort(
    (a, b) => b.players - a.players || b.servers - a.servers || (a.gameId < b.gameId ? -1 : 1),
  );
  const sum = (field: 'servers' | 'online' | 'players') =>
    counts.reduce((total, count) => total + count[field], 0);
  return { servers: sum('servers'), online: sum('online'), players: sum('players'), games: sorted };
}
