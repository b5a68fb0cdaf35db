/** A game of the catalog (SPEC, game catalog entry). */
export interface RestGame {
  /** The id of the game, which a fetch calls `game_id`. */
  id: string;
  name: string;
}

/** The addresses asked for under one game. */
export interface RestGroup {
  game_id: string;
  /** Addresses in the form `<host_or_ip>:<port>`. */
  servers: string[];
}

/**
 * How and when a server is probed. Times are ISO 8601 in UTC with three decimals, or null if they have not
 * happened.
 */
export interface RestUpdater {
  status: 'pending' | 'online' | 'offline' | 'invalid';
  firewall_interval_minutes: number;
  firewall_label: 'none' | 'rate_limited' | 'challenge_only' | 'filtered' | 'cached';
  next_probe_at: string | null;
  last_probe_at: string | null;
  last_online_at: string | null;
  /** Why `status` is neither online nor invalid; docs/errors.md lists the words. Others may be added. */
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

export interface RestStale {
  reason: 'offline' | 'probe_delayed' | 'unknowable';
  age_seconds: number;
  threshold_seconds: number;
  last_success_at: string;
}

/** A server that has answered at least once. */
export interface RestPayload {
  // payload: written by npm run payload
  /** Name of the server; its address if it tells none. */
  name: string;
  /** Map or world. */
  map: string;
  /** Everyone on the server, bots included; absent if the server does not tell. */
  players?: number;
  /** How many the server has room for; absent if the server does not tell. */
  maxplayers?: number;
  /** The same as `players`; absent if the server does not tell. */
  numplayers?: number;
  /** Bots on the server. */
  numbots: number;
  /** Whether players need a password to join. */
  password: boolean;
  /** Version of the game. */
  version: string;
  /** Milliseconds between question and answer. */
  ping: number;
  /** `host:port` to join. */
  connect: string;
  /** When the server last answered, UTC, as `YYYY-MM-DD HH:MM:SS`. */
  updated: string;
  raw: { numbots: number; players: { name: string; score: number; time: number }[] };
  // payload: end
  _updater: RestUpdater;
  _stale?: RestStale;
}

/** A server without data: it never answered, or its pair is not valid. */
export interface RestMissing {
  message: string;
  _updater: RestUpdater;
}

export interface RestServerRef {
  game_id: string;
  server: string;
}

export interface RestMeta {
  auto_inserted: number;
  inserted_servers: RestServerRef[];
  invalid_servers: (RestServerRef & {
    reason: 'unknown_game' | 'malformed_address' | 'blocked_address' | 'unresolvable_host' | 'insert_quota';
    message: string;
  })[];
  /** Present only if one address was named under two games. */
  duplicate_servers?: RestServerRef[];
}

export interface RestFetchResult {
  /** Servers by address, as the request wrote it. */
  servers: Map<string, RestPayload | RestMissing>;
  meta: RestMeta;
}

/** Whether a server has a payload; false if it has only a message. */
export function hasData(server: RestPayload | RestMissing): server is RestPayload {
  return 'name' in server;
}

/** An error answer. `code` is the `error` of its body, such as AUTH_3; empty if the body has none. */
export class RestError extends Error {
  override name = 'RestError';
  readonly status: number;
  readonly code: string;
  /** The id of the request in the log of the service. */
  readonly requestId: string;
  /** The faults of the request body, if `code` is POST_2. */
  readonly details: { path: string; message: string }[];
  /** Seconds after which to retry, if `status` is 429 or 503. */
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

/** The address of the service, and the credentials of the caller. */
export interface RestClientOptions {
  /** The address of the service, such as `http://127.0.0.1:8080`. */
  baseUrl: string;
  /** Required by `fetch`, not by `games`. */
  credentials?: { token: string; tier: 'FREE' | 'PRO'; email: string };
  /** How long an answer may take, in milliseconds; 15 seconds by default. */
  timeoutMs?: number;
}

/** Options of one fetch. */
export interface RestFetchOptions {
  /** How long to wait for the first probe of servers that are new to the service; at most 5 seconds. */
  waitSeconds?: number;
  requestId?: string;
}

/**
 * Calls the REST paths of the game server query service. Every method rejects with RestError if the service answers an
 * error, with a TypeError if it cannot be reached, and with a TimeoutError if it takes too long.
 */
export class RestClient {
  readonly #options: RestClientOptions;

  constructor(options: RestClientOptions) {
    this.#options = options;
  }

  /** Lists every game that the service supports. */
  async games(): Promise<RestGame[]> {
    return (await this.#call('/v1/get/games', {})) as RestGame[];
  }

  /** Returns the latest status of servers; valid servers that are new to the service are tracked from this request on. */
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
    // A Map, because an address may be `__proto__` or another property of every object.
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

/** Parses JSON; undefined if the text is not JSON, as the answer of a proxy may be. */
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
