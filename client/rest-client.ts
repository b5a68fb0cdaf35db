import { addAnswer, emptyResult, type RestFetchResult, splitGroups } from './fetch-parts.ts';
import { Http, type RequestOptions, type RestClientOptions } from './http.ts';
import type {
  RestFetchAnswer,
  RestGame,
  RestGroup,
  RestHistory,
  RestIncidentPage,
  RestPayload,
  RestServerPage,
  RestServerRef,
  RestServiceStatus,
  RestSummary,
  RestTrackedServer,
  RestTrends,
  RestUptimeAnswer,
} from './rest-types.generated.ts';
import { type WatchEvent, type WatchTarget, watchServers } from './watch.ts';

export * from './errors.ts';
export type { RestFetchResult } from './fetch-parts.ts';
export type { RequestOptions, RestClientOptions } from './http.ts';
export type * from './rest-types.generated.ts';
export type { UntrackedServer, WatchEvent, WatchTarget } from './watch.ts';

/** True if the service has data of this server. False if the answer contains only the reason why there is no data. */
export function hasData<Server extends object>(server: Server): server is Extract<Server, RestPayload> {
  return 'name' in server;
}

/** Options of one fetch. */
export interface RestFetchOptions extends RequestOptions {
  /** Longest time to wait for the first probe of servers that are new to the service, in seconds. The maximum is 5. */
  waitSeconds?: number;
  requestId?: string;
}

/** Conditions of a search for servers. An absent property matches all servers. */
export interface ServerSearch {
  /** Words to find in the names of servers. Each word must be the beginning of a word of the name. */
  q?: string;
  /** Id or alias of the game whose servers are searched. */
  game?: string;
  status?: 'pending' | 'online' | 'offline';
  players_min?: number;
  map?: string;
  version?: string;
  password?: boolean;
  sort?: 'players' | '-players' | 'name' | '-name';
  /** Maximum number of servers in a page. It can be at most 1000. */
  page_size?: number;
  /** `next_page_token` of the previous page of the search; absent for the first page. */
  page_token?: string;
}

/**
 * The requested part of a server's history: its begin `from` and its end `to` as RFC 3339 times, and the length of a
 * step, such as `15m`.
 */
export interface HistoryRange {
  from?: string;
  to?: string;
  step?: string;
}

/**
 * A client for the REST API of gsq. Repeats requests as `RestClientOptions.retries` says. Methods reject with RestError
 * (error answer), TypeError (service not reachable) or TimeoutError.
 */
export class RestClient {
  readonly #http: Http;

  constructor(options: RestClientOptions) {
    this.#http = new Http(options);
  }

  /** Returns all games that the service supports. */
  async games(options: RequestOptions = {}): Promise<RestGame[]> {
    return (await this.#http.json({ path: '/v1/get/games', ...options })) as RestGame[];
  }

  /**
   * Returns the latest data of servers. The service begins to track servers that are new to it. The field `meta` of the
   * result lists the servers that the service refused. Splits more than 1,000 addresses into several requests.
   */
  async fetch(groups: readonly RestGroup[], options: RestFetchOptions = {}): Promise<RestFetchResult> {
    const { waitSeconds, requestId, signal } = options;
    const headers = {
      'Content-Type': 'application/json',
      ...(waitSeconds !== undefined && { Prefer: `wait=${waitSeconds}` }),
      ...(requestId !== undefined && { 'X-Request-Id': requestId }),
    };
    const result = emptyResult();
    for (const servers of splitGroups(groups)) {
      const body = JSON.stringify({ servers });
      const answer = await this.#http.json({ method: 'POST', path: '/v1/post/fetch', headers, body, signal });
      addAnswer(result, answer as RestFetchAnswer);
    }
    return result;
  }

  /** Returns a tracked server. Rejects with NotFoundError if the service does not track it. */
  async server(ref: RestServerRef, options: RequestOptions = {}): Promise<RestTrackedServer> {
    return (await this.#http.json({ path: pathOf(ref), ...options })) as RestTrackedServer;
  }

  /**
   * Returns a page of the tracked servers that match a search. The search can also be given as the query string of a
   * URL.
   */
  async servers(
    search: ServerSearch | URLSearchParams = {},
    options: RequestOptions = {},
  ): Promise<RestServerPage> {
    return (await this.#http.json({ path: `/v1/servers${queryOf(search)}`, ...options })) as RestServerPage;
  }

  /** Returns the players and the status of a server over time. The default is the last 24 hours. */
  async history(
    ref: RestServerRef,
    range: HistoryRange = {},
    options: RequestOptions = {},
  ): Promise<RestHistory> {
    const path = `${pathOf(ref)}/history${queryOf(range)}`;
    return (await this.#http.json({ path, ...options })) as RestHistory;
  }

  /**
   * Returns the numbers of players of up to 100 servers in the last 24 hours. Leaves out servers that are not tracked.
   */
  async trends(refs: readonly RestServerRef[], options: RequestOptions = {}): Promise<RestTrends> {
    const query = new URLSearchParams(refs.map(ref => ['server', `${ref.game_id}/${ref.server}`]));
    return (await this.#http.json({ path: `/v1/trends?${query}`, ...options })) as RestTrends;
  }

  /** Returns the uptime of a server. `windows`: lengths such as `24h` and `7d`. */
  async uptime(
    ref: RestServerRef,
    windows: readonly string[] = [],
    options: RequestOptions = {},
  ): Promise<RestUptimeAnswer> {
    const query = windows.length === 0 ? '' : queryOf({ window: windows.join() });
    return (await this.#http.json({ path: `${pathOf(ref)}/uptime${query}`, ...options })) as RestUptimeAnswer;
  }

  /** Returns a page of the periods in which a server was offline, the newest first. */
  async incidents(
    ref: RestServerRef,
    page: { page_size?: number; page_token?: string } = {},
    options: RequestOptions = {},
  ): Promise<RestIncidentPage> {
    const path = `${pathOf(ref)}/incidents${queryOf(page)}`;
    return (await this.#http.json({ path, ...options })) as RestIncidentPage;
  }

  /** Counts the tracked servers and their players, in total and by game. */
  async summary(search: { game?: string } = {}, options: RequestOptions = {}): Promise<RestSummary> {
    return (await this.#http.json({ path: `/v1/summary${queryOf(search)}`, ...options })) as RestSummary;
  }

  /**
   * Returns the state of the service itself: its connected probers, the delay of its probes, and whether its store can
   * write.
   */
  async status(options: RequestOptions = {}): Promise<RestServiceStatus> {
    return (await this.#http.json({ path: '/v1/status', ...options })) as RestServiceStatus;
  }

  /**
   * Yields the present state of servers, and then each change. Reopens a broken stream without gaps. Ends if the signal
   * is aborted. Throws RestError if the service refuses the stream.
   */
  watch(target: WatchTarget, options: RequestOptions = {}): AsyncGenerator<WatchEvent, void, undefined> {
    return watchServers(this.#http, target, options);
  }
}

function pathOf({ game_id: game, server }: RestServerRef): string {
  return `/v1/servers/${encodeURIComponent(game)}/${encodeURIComponent(server)}`;
}

/** Returns the query string of a URL. The query contains only the values that are set. */
function queryOf(values: object): string {
  if (values instanceof URLSearchParams) return values.size === 0 ? '' : `?${values}`;
  const given = Object.entries(values).filter(([, value]) => value !== undefined);
  return given.length === 0
    ? ''
    : `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`;
}
