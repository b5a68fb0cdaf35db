import type { Now } from '../../runtime/clock.ts';
import { UnknowableError } from '../answers/unknowable-error.ts';
import type { HttpClient, HttpReply } from '../http/http-client.ts';
import { MAX_REDIRECTS, redirectOf } from '../http/redirects.ts';
import { retryAfterMs } from '../http/retry-after.ts';
import { RequestRateLimit, WINDOW_MS } from './request-rate-limit.ts';

const TIMEOUT_MS = { list: 10_000, 'look-up': 4_000 };
/**
 * Largest decompressed body, bytes. BeamMP's list, the largest known, took 1.2 MB with 2,300 servers
 * (https://github.com/BeamMP/BeamMP/issues/365). The worst input found, `{"31":0},` repeated, takes 38 bytes
 * of heap for each of its own, and a JSON.parse that runs out of memory ends the whole process.
 */
const MAX_BODY_BYTES = { list: 6 * 1024 * 1024, 'look-up': 1024 * 1024 };
const HOUR_MS = 3_600_000;
/** How long a host that refuses us is not asked, by HTTP status. */
const REFUSED_MS = new Map([
  [401, HOUR_MS],
  [403, 24 * HOUR_MS],
]);
/** Pauses after failures, ms: each further failure doubles the pause, up to the last value. */
const PAUSE_MS = { first: WINDOW_MS, last: 600_000 };
/**
 * Failures in a row before a pause. A single look-up may fail for its own reasons; a list is not fetched
 * again within a minute anyway.
 */
const PATIENCE = { list: 1, 'look-up': 3 };

/** A fetched value, and the validator that tells whether it has changed since. */
export interface Kept<T> {
  readonly value: T;
  readonly etag?: string;
  readonly lastModified?: string;
}

export interface HostFetch<T> {
  method?: 'GET' | 'POST';
  /** Path of the request, with its query. */
  path: string;
  headers?: Readonly<Record<string, string>>;
  body?: string;
  /** The part of the host that a refusal concerns, such as one game of several; empty for the whole host. */
  realm?: string;
  /** The value of an earlier fetch of the same path. */
  last?: Kept<T> | undefined;
  /** Explains a status other than 200 that concerns the server or its credentials, not the host. */
  explain?: (status: number, body: Buffer) => UnknowableError | undefined;
  /** Reads the body of a 200. Any error except `UnknowableError` means that the host sent garbage. */
  read: (body: Buffer) => T;
}

/** A time in which a host is not asked. */
export interface Pause {
  host: string;
  /** The part of the host that is paused; empty for the whole host. */
  realm: string;
  /** Whether the directory refuses us or is unavailable. */
  kind: 'directory-refused' | 'directory-unavailable';
  detail: string;
  /** Length of the pause from now, ms. */
  ms: number;
}

/** How a request to a host ended, for metrics. */
export type RequestResult = 'ok' | 'unchanged' | 'redirected' | 'refused' | 'limited' | 'failed';

/** A redirect to follow once the rate limit allows it. */
interface Redirect {
  to: URL;
  /** Number of redirects followed in a row. */
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

/** One host of a directory, with its rate limit and its pauses. */
export class DirectoryHost {
  /** Host name, with the port unless it is the default one. */
  readonly name: string;
  readonly #options: DirectoryHostOptions;
  readonly #budget: RequestRateLimit;
  /** Pauses by realm. */
  readonly #pauses = new Map<string, Pause & { until: number }>();
  /** Pending redirects of lists by path; the rate limit of a list may be one request a minute. */
  readonly #redirects = new Map<string, Redirect>();
  #failures = 0;

  constructor(options: DirectoryHostOptions) {
    this.name = new URL(options.origin).host;
    this.#options = options;
    this.#budget = new RequestRateLimit(options.perMinute);
  }

  /** Starts a pause, unless a longer one is active. Also restores the pauses of an earlier thread. */
  pause(pause: Pause): void {
    const until = this.#options.now() + pause.ms;
    const known = this.#pauses.get(pause.realm);
    if (!known || known.until < until) this.#pauses.set(pause.realm, { ...pause, until });
  }

  /** Throws unless it is the turn of this look-up. Must be called before the fetches of the look-up. */
  claimReservation(key: string, realm = ''): void {
    this.#throwIfPaused(realm);
    const wait = this.#budget.claimReservation(key, this.#options.now());
    if (wait > 0) throw this.#paced(wait);
  }

  /**
   * Sends a request and follows its redirects, if the rate limit allows; each redirect counts as a request.
   * Rejects with `UnknowableError`.
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
   * Follows redirects. One that exceeds the rate limit is reported as paced, and the next fetch of the path
   * starts with it.
   */
  async #follow<T>(wanted: HostFetch<T>): Promise<HttpReply> {
    const { method = 'GET', path, realm = '' } = wanted;
    const { kind, now, onRequest, origin } = this.#options;
    const endsAt = now() + TIMEOUT_MS[kind];
    let { to: url, hops } = this.#redirects.get(path) ?? { to: new URL(path, origin), hops: 0 };
    for (;;) {
      this.#throwIfPaused(realm);
      const wait = this.#budget.countRequest(now());
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

  /** Turns a status that concerns the host into an error and a pause. */
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
   * Handles an unexpected reply. In a look-up it may concern only the server looked up, which anybody can
   * track, so one such reply must not block all other look-ups.
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
    // Requests sent before the pause began add no information.
    if ((this.#pauses.get('')?.until ?? 0) > now()) return this.#unavailable(detail, 0);
    const over = ++this.#failures - PATIENCE[kind];
    if (over < 0) return new UnknowableError('directory-unavailable', `${this.name}: ${detail}`);
    return this.#unavailable(detail, Math.min(PAUSE_MS.first * 2 ** over, PAUSE_MS.last));
  }

  #unavailable(what: string, ms: number): UnknowableError {
    const detail = `${this.name}: ${what}`;
    return this.#paused({ host: this.name, realm: '', kind: 'directory-unavailable', detail, ms });
  }

  /** Starts a pause, or keeps an active one that is no shorter, which operators know already. */
  #paused(pause: Pause): UnknowableError {
    const known = this.#pauses.get(pause.realm);
    const left = (known?.until ?? 0) - this.#options.now();
    if (known && left >= pause.ms) return new UnknowableError(known.kind, known.detail, left);
    this.pause(pause);
    this.#options.onPause(pause);
    return new UnknowableError(pause.kind, pause.detail, pause.ms);
  }
}
