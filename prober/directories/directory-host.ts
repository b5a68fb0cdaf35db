import type { Now } from '../../runtime/clock.ts';
import { UnknowableError } from '../answers/unknowable-error.ts';
import type { HttpClient, HttpReply } from '../http/http-client.ts';
import { MAX_REDIRECTS, redirectOf } from '../http/redirects.ts';
import { retryAfterMs } from '../http/retry-after.ts';
import { RequestRateLimit, WINDOW_MS } from './request-rate-limit.ts';

const TIMEOUT_MS = { list: 10_000, 'look-up': 4_000 };
/**
 * Maximum size of a decompressed reply of a public server list, bytes. JSON.parse needs up to 38 bytes of heap for each
 * byte, measured with the repeated text `{"31":0},`. The largest known list has 1.2 MB
 * (https://github.com/BeamMP/BeamMP/issues/365).
 */
const MAX_BODY_BYTES = { list: 6 * 1024 * 1024, 'look-up': 1024 * 1024 };
const HOUR_MS = 3_600_000;
/** Length of the pause after a public server list refused a request, ms, keyed by the HTTP status of the refusal. */
const REFUSED_MS = new Map([
  [401, HOUR_MS],
  [403, 24 * HOUR_MS],
]);
/**
 * Length of the pause after a request to a public server list failed, ms. It starts with `first` and doubles with each
 * further failure, up to `last`.
 */
const PAUSE_MS = { first: WINDOW_MS, last: 600_000 };
/**
 * Number of failed requests in a row after which gsq sends a host no requests for some time. It is higher for look-ups,
 * because each look-up is for one game server, and one server alone can cause several failures.
 */
const PATIENCE = { list: 1, 'look-up': 3 };

/**
 * A value that was fetched from a public server list, with its HTTP validators (ETag, Last-Modified). The next request
 * contains these validators, so that the host does not send an unchanged value again.
 */
export interface Kept<T> {
  readonly value: T;
  readonly etag?: string;
  readonly lastModified?: string;
}

export interface HostFetch<T> {
  method?: 'GET' | 'POST';
  /** URL path of the request, including the query string. */
  path: string;
  headers?: Readonly<Record<string, string>>;
  body?: string;
  /**
   * The part of the web host that gets this request, for example the id of a game. If the host refuses the request,
   * only the requests to this part are paused. An empty string stands for the whole host.
   */
  realm?: string;
  /** Result of an earlier fetch of the same path, returned again if the host answers 304 (not modified). */
  last?: Kept<T> | undefined;
  /**
   * Converts an error reply of this web host to an error about the game server or its credentials. Returns undefined if
   * the reply shows instead that the web host itself has failed.
   */
  explain?: (status: number, body: Buffer) => UnknowableError | undefined;
  /**
   * Parses the body of a reply with status 200. Throws `UnknowableError` if the body reports an error, because the
   * status of the game server is then unknown. Throws an error of another class if the body is not valid.
   */
  read: (body: Buffer) => T;
}

/** A time in which gsq sends no requests to a host of a public server list, or to a part of the host. */
export interface Pause {
  host: string;
  /**
   * Part of `host` that receives no requests during this pause, for example the id of a game. Empty if the whole host
   * receives no requests.
   */
  realm: string;
  /** Cause of the pause: the host of the public server list refuses the requests of gsq, or is unavailable. */
  kind: 'directory-refused' | 'directory-unavailable';
  detail: string;
  /** Remaining length of the pause, in which the host gets no requests, ms. */
  ms: number;
}

/** Result of a request to a host of a public server list, for the metrics. */
export type RequestResult = 'ok' | 'unchanged' | 'redirected' | 'refused' | 'limited' | 'failed';

/** A redirect that a web host has sent. gsq follows it when the rate limit allows one more request. */
interface Redirect {
  to: URL;
  /** Number of redirects in a row, including this redirect. */
  hops: number;
}

export interface DirectoryHostOptions {
  origin: string;
  kind: 'list' | 'look-up';
  perMinute: number;
  http: HttpClient;
  /** Monotonic clock, ms. */
  now: Now;
  onRequest: (result: RequestResult) => void;
  onPause: (pause: Pause) => void;
}

/**
 * Sends requests to one web host that serves a public server list. Stays within the rate limit of the host, and sends
 * nothing while requests to the host are paused. This file exceeds the usual limit of 300 lines, because all methods
 * share the state of one host.
 */
export class DirectoryHost {
  /** Name of the host of a public server list, with its port unless the port is the default port. */
  readonly name: string;
  readonly #options: DirectoryHostOptions;
  readonly #rateLimit: RequestRateLimit;
  /**
   * Pauses of this host. The key is the part of the host that receives no requests, for example the id of a game. An
   * empty key stands for the whole host.
   */
  readonly #pauses = new Map<string, Pause & { until: number }>();
  /**
   * Redirects of server lists that gsq could not follow yet, for example because of the rate limit. The key is the path
   * of the list. The next fetch of the list starts with its redirect.
   */
  readonly #redirects = new Map<string, Redirect>();
  #failures = 0;

  constructor(options: DirectoryHostOptions) {
    this.name = new URL(options.origin).host;
    this.#options = options;
    this.#rateLimit = new RequestRateLimit(options.perMinute);
  }

  /**
   * Starts a pause of requests to this host, or to one part (realm) of it. Does nothing if the same realm is already
   * paused for at least as long.
   */
  pause(pause: Pause): void {
    const until = this.#options.now() + pause.ms;
    const known = this.#pauses.get(pause.realm);
    if (!known || known.until < until) this.#pauses.set(pause.realm, { ...pause, until });
  }

  /**
   * Checks whether a look-up of a game server may send its first request to this host now. Throws `UnknowableError` if
   * the host is paused, or if the rate limit makes the look-up wait.
   */
  claimReservation(key: string, realm = ''): void {
    this.#throwIfPaused(realm);
    const wait = this.#rateLimit.claimReservation(key, this.#options.now());
    if (wait > 0) throw this.#paced(wait);
  }

  /**
   * Sends a request, follows its redirects and parses the reply. The rate limit counts each redirect as a request.
   * Rejects with `UnknowableError` if the host is paused, the rate limit is reached, or the reply is not usable.
   */
  async fetch<T>(wanted: HostFetch<T>): Promise<Kept<T>> {
    const { realm = '', explain, read, last } = wanted;
    const reply = await this.#follow(wanted);
    if (reply.status === 304 && last) {
      this.#succeeded('unchanged');
      return last;
    }
    const explained = reply.status === 200 ? undefined : explain?.(reply.status, reply.body);
    if (explained) {
      this.#succeeded('ok');
      throw explained;
    }
    if (reply.status !== 200) throw this.#troubled(reply, realm);
    return this.#readReply(reply, read);
  }

  #throwIfPaused(realm: string): void {
    const now = this.#options.now();
    for (const name of new Set(['', realm])) {
      const pause = this.#pauses.get(name);
      if (!pause) continue;
      if (pause.until > now) throw new UnknowableError(pause.kind, pause.detail, pause.until - now);
      this.#pauses.delete(name);
    }
  }

  #paced(waitMs: number): UnknowableError {
    const detail = `${this.name} gets no more than ${this.#options.perMinute} requests a minute`;
    return new UnknowableError('paced', detail, waitMs);
  }

  /**
   * Sends a request and follows its redirects. If the rate limit forbids one of these requests, throws an error of kind
   * `paced` (postponed). A redirect of a server list is then kept, and the next fetch of the list starts with it.
   */
  async #follow<T>(wanted: HostFetch<T>): Promise<HttpReply> {
    const { method = 'GET', path, realm = '' } = wanted;
    const { kind, now, onRequest, origin } = this.#options;
    const endsAt = now() + TIMEOUT_MS[kind];
    let { to: url, hops } = this.#redirects.get(path) ?? { to: new URL(path, origin), hops: 0 };
    for (;;) {
      this.#throwIfPaused(realm);
      const wait = this.#rateLimit.countRequest(now());
      if (wait > 0) throw this.#paced(wait);
      this.#redirects.delete(path);
      const reply = await this.#send(wanted, url, endsAt - now());
      const to = method === 'GET' ? this.#redirectOf(reply, url) : undefined;
      if (!to) return reply;
      if (++hops > MAX_REDIRECTS) throw this.#failed(`redirects more than ${MAX_REDIRECTS} times`);
      onRequest('redirected');
      if (kind === 'list') this.#redirects.set(path, { to, hops });
      url = to;
    }
  }

  #redirectOf(reply: HttpReply, from: URL): URL | undefined {
    try {
      return redirectOf(reply, from);
    } catch (error) {
      throw this.#failed(error instanceof Error ? error.message : String(error));
    }
  }

  async #send<T>(
    { method = 'GET', headers, body, last }: HostFetch<T>,
    url: URL,
    timeoutMs: number,
  ): Promise<HttpReply> {
    const { http, kind } = this.#options;
    const request = {
      method,
      url,
      headers: {
        ...headers,
        ...(last?.etag !== undefined && { 'if-none-match': last.etag }),
        ...(last?.lastModified !== undefined && { 'if-modified-since': last.lastModified }),
      },
      ...(body !== undefined && { body }),
    };
    try {
      return await http.fetch(request, { timeoutMs, maxBytes: MAX_BODY_BYTES[kind] });
    } catch (error) {
      throw this.#failed(error instanceof Error ? error.message : String(error));
    }
  }

  #readReply<T>({ headers, body }: HttpReply, read: (body: Buffer) => T): Kept<T> {
    let value: T;
    try {
      value = read(body);
    } catch (error) {
      if (!(error instanceof UnknowableError)) throw this.#odd('an answer that makes no sense');
      this.#succeeded('ok');
      throw error;
    }
    this.#succeeded('ok');
    const { etag, 'last-modified': lastModified } = headers;
    return {
      value,
      ...(etag !== undefined && { etag }),
      ...(lastModified !== undefined && { lastModified }),
    };
  }

  #succeeded(result: RequestResult): void {
    this.#failures = 0;
    this.#options.onRequest(result);
  }

  /**
   * Returns the error to throw for an error reply of the host. After some HTTP statuses, for example 403 and 429, also
   * pauses the requests to the host.
   */
  #troubled({ status, headers }: HttpReply, realm: string): UnknowableError {
    const refusedMs = REFUSED_MS.get(status);
    if (refusedMs !== undefined) {
      this.#options.onRequest('refused');
      const detail = `${this.name} refuses us: HTTP ${status}`;
      return this.#paused({ host: this.name, realm, kind: 'directory-refused', detail, ms: refusedMs });
    }
    const wantedMs = status === 429 || status === 503 ? retryAfterMs(headers) : undefined;
    if (wantedMs === undefined && status !== 429) {
      return status < 500 ? this.#odd(`HTTP ${status}`) : this.#failed(`HTTP ${status}`);
    }
    this.#options.onRequest('limited');
    return this.#unavailable(`HTTP ${status}`, wantedMs ?? PAUSE_MS.first);
  }

  /**
   * Handles a reply that gsq does not understand. A bad server list counts as a failure of the web host. A bad reply
   * about one game server does not, because replies about others can be valid.
   */
  #odd(detail: string): UnknowableError {
    const { kind, onRequest } = this.#options;
    if (kind === 'list') return this.#failed(detail);
    onRequest('failed');
    return new UnknowableError('directory-unavailable', `${this.name}: ${detail}`);
  }

  #failed(detail: string): UnknowableError {
    const { kind, now, onRequest } = this.#options;
    onRequest('failed');
    // A request to the host can fail after a pause has begun. This failure does not make the pause longer, because the
    // request was sent before the pause.
    if ((this.#pauses.get('')?.until ?? 0) > now()) return this.#unavailable(detail, 0);
    const over = ++this.#failures - PATIENCE[kind];
    if (over < 0) return new UnknowableError('directory-unavailable', `${this.name}: ${detail}`);
    return this.#unavailable(detail, Math.min(PAUSE_MS.first * 2 ** over, PAUSE_MS.last));
  }

  #unavailable(what: string, ms: number): UnknowableError {
    const detail = `${this.name}: ${what}`;
    return this.#paused({ host: this.name, realm: '', kind: 'directory-unavailable', detail, ms });
  }

  /**
   * Starts a pause, calls `onPause`, and returns an error that describes the pause. If an active pause lasts at least
   * as long, changes nothing and returns an error that describes the active pause.
   */
  #paused(pause: Pause): UnknowableError {
    const known = this.#pauses.get(pause.realm);
    const left = (known?.until ?? 0) - this.#options.now();
    if (known && left >= pause.ms) return new UnknowableError(known.kind, known.detail, left);
    this.pause(pause);
    this.#options.onPause(pause);
    return new UnknowableError(pause.kind, pause.detail, pause.ms);
  }
}
