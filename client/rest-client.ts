/** A game of the catalog (SPEC, game catalog entry). */
export interface RestGame {
  /** The id of the game. A fetch request contains it as `game_id`. */
  id: string;
  name: string;
}

/** The server addresses that a fetch requests for one game. */
export interface RestGroup {
  game_id: string;
  /** Addresses of the servers to fetch, in the form `<host_or_ip>:<port>`. */
  servers: string[];
}

/**
 * Status of a server, and the times of its probes. Times are ISO 8601 in UTC with three decimals. A time is null if its
 * event has not happened.
 */
export interface RestUpdater {
  status: 'pending' | 'online' | 'offline' | 'invalid';
  firewall_interval_minutes: number;
  firewall_label: 'none' | 'rate_limited' | 'challenge_only' | 'filtered' | 'cached';
  next_probe_at: string | null;
  last_probe_at: string | null;
  last_online_at: string | null;
  /**
   * The reason why `status` is `pending` or `offline`. docs/errors.md explains each value. Later versions of the
   * service can add values.
   */
  reason?:
    | 'unprobed'
    | 'no_reply'
    | 'refused'
    | 'malformed'
    | 'unresolvable_host'
    | 'blocked_address'
    | 'needs_credentials'
    | 'needs_option'
    | 'directory_unavailable'
    | 'directory_refused'
    | 'not_listed'
    | 'paced'
    | 'prober_unavailable';
}

/**
 * Added to the data of a server if this data is too old. Contains the age of the data, the age limit
 * (`threshold_seconds`), and the reason why there is no newer data.
 */
export interface RestStale {
  reason: 'offline' | 'probe_delayed' | 'unknowable';
  age_seconds: number;
  threshold_seconds: number;
  last_success_at: string;
}

/** The data of a server that has answered at least once. */
export interface RestPayload {
  // payload: written by npm run payload
  /** Name of the server; its address if the server has no name. */
  name: string;
  /** Map or world that is being played. */
  map: string;
  /** Players on the server, bots included; absent if the server does not report it. */
  players?: number;
  /** Maximum number of players; absent if the server does not report it. */
  maxplayers?: number;
  /** The same number as `players`; absent if the server does not report it. */
  numplayers?: number;
  /** Bots on the server. */
  numbots: number;
  /** Whether players need a password to join. */
  password: boolean;
  /** Version of the game. */
  version: string;
  /** Milliseconds between the query and its reply. */
  ping: number;
  /** `host:port` that players join. */
  connect: string;
  /** Time of the last valid reply of the server, UTC, as `YYYY-MM-DD HH:MM:SS`. */
  updated: string;
  raw: { numbots: number; players: { name: string; score: number; time: number }[] };
  // payload: end
  _updater: RestUpdater;
  _stale?: RestStale;
}

/** A server without data: it has never answered, or its game or address is not valid. */
export interface RestMissing {
  message: string;
  _updater: RestUpdater;
}

/** A game id and a server address, as the request contained them. */
export interface RestServerRef {
  game_id: string;
  server: string;
}

/**
 * The `_meta` object of a fetch answer. It lists the servers that the service started to track, and the servers that it
 * did not accept.
 */
export interface RestMeta {
  auto_inserted: number;
  inserted_servers: RestServerRef[];
  invalid_servers: (RestServerRef & {
    reason: 'unknown_game' | 'malformed_address' | 'blocked_address' | 'unresolvable_host' | 'insert_quota';
    message: string;
  })[];
  /**
   * The request lists these addresses under two games. The answer contains the data of one game, and this list contains
   * the other game. Absent if there are no such addresses.
   */
  duplicate_servers?: RestServerRef[];
}

/** The result of a fetch. */
export interface RestFetchResult {
  /** The servers of the answer, keyed by address. The address is spelled exactly as in the request. */
  servers: Map<string, RestPayload | RestMissing>;
  meta: RestMeta;
}

/** True if the service has data of this server. False if the answer contains only the reason why there is no data. */
export function hasData(server: RestPayload | RestMissing): server is RestPayload {
  return 'name' in server;
}

/**
 * An error answer of the service. `code` is the value of `error` in the body of the answer, such as AUTH_3. It is empty
 * if the body has no such value.
 */
export class RestError extends Error {
  override name = 'RestError';
  readonly status: number;
  readonly code: string;
  /** The id of the request. The log of the service contains this id. */
  readonly requestId: string;
  /** Errors in the request body: the path of each invalid value, and a message. Empty unless `code` is POST_2. */
  readonly details: { path: string; message: string }[];
  /** Seconds to wait before a retry. Present if `status` is 429 or 503. */
  readonly retryAfterSeconds: number | undefined;

  constructor(response: Response, body: unknown) {
    const { error, message, details } = isObject(body) ? body : {};
    super(typeof message === 'string' ? message : `HTTP ${response.status} without an error of the service`);
    const retryAfter = response.headers.get('retry-after');
    this.status = response.status;
    this.code = typeof error === 'string' ? error : '';
    this.requestId = response.headers.get('x-request-id') ?? '';
    this.details = Array.isArray(details) ? details : [];
    this.retryAfterSeconds = retryAfter === null ? undefined : Number(retryAfter);
  }
}

/** The options of a REST client: the address of the service, and the credentials of the caller. */
export interface RestClientOptions {
  /** The address of the service, such as `http://127.0.0.1:8080`. */
  baseUrl: string;
  /** The credentials of the caller. Required by `fetch`, but not by `games`. */
  credentials?: { token: string; tier: 'FREE' | 'PRO'; email: string };
  /** Longest time to wait for an answer, in milliseconds. The default is 15 seconds. */
  timeoutMs?: number;
}

/** Options of one fetch. */
export interface RestFetchOptions {
  /** Longest time to wait for the first probe of servers that are new to the service, in seconds. The maximum is 5. */
  waitSeconds?: number;
  requestId?: string;
}

/**
 * A client for the REST API of the game server query service. Every method rejects with RestError if the service
 * answers with an error, with TypeError if the service cannot be reached, and with a TimeoutError if the answer takes
 * too long.
 */
export class RestClient {
  readonly #options: RestClientOptions;

  constructor(options: RestClientOptions) {
    this.#options = options;
  }

  /** Returns all games that the service supports. */
  async games(): Promise<RestGame[]> {
    return (await this.#call('/v1/get/games', {})) as RestGame[];
  }

  /**
   * Returns the latest known data of the given servers. The service starts to track the servers that are new to it.
   * `meta` lists the servers that it did not accept.
   */
  async fetch(groups: readonly RestGroup[], options: RestFetchOptions = {}): Promise<RestFetchResult> {
    const { credentials } = this.#options;
    const headers: Record<string, string> = { 'Content-Type': 'application/json' };
    if (credentials) {
      headers['X-API-Token'] = credentials.token;
      headers['X-API-Token-Type'] = credentials.tier;
      headers['X-API-Token-Email'] = credentials.email;
    }
    if (options.waitSeconds !== undefined) headers.Prefer = `wait=${options.waitSeconds}`;
    if (options.requestId !== undefined) headers['X-Request-Id'] = options.requestId;
    const body = JSON.stringify({ servers: groups });
    const answer = await this.#call('/v1/post/fetch', { method: 'POST', headers, body });
    // Copies the servers into a Map. In an object, an address such as `__proto__` would collide with a property that
    // every object has.
    const servers = new Map(Object.entries(answer as Record<string, RestPayload | RestMissing>));
    servers.delete('_meta');
    return { servers, meta: (answer as { _meta: RestMeta })._meta };
  }

  async #call(path: string, init: RequestInit): Promise<unknown> {
    const { baseUrl, timeoutMs = 15_000 } = this.#options;
    const response = await fetch(`${baseUrl.replace(/\/$/, '')}${path}`, {
      ...init,
      signal: AbortSignal.timeout(timeoutMs),
    });
    const text = await response.text();
    const body = parseJson(text);
    if (!response.ok || body === undefined) throw new RestError(response, body);
    return body;
  }
}

/** Parses JSON. Returns undefined if the text is not JSON, for example if a proxy answered instead of the service. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
