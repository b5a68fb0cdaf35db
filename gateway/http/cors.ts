import { ConfigError } from '../../runtime/config.ts';
import type { Exchange } from './exchange.ts';
import { headerOf } from './exchange.ts';

const ALLOWED_HEADERS = [
  'Content-Type',
  'X-API-Token',
  'X-API-Token-Type',
  'X-API-Token-Email',
  'X-Request-Id',
  'Prefer',
  'If-None-Match',
  'Last-Event-ID',
].join(', ');

const EXPOSED_HEADERS = [
  'ETag',
  'Preference-Applied',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-Request-Id',
].join(', ');

const PREFLIGHT_AGE_SECONDS = 7200;

/**
 * Allows web pages of configured origins to read answers (Fetch Standard, CORS protocol). Sets no header if no origin
 * is configured.
 */
export class Cors {
  readonly #origins: ReadonlySet<string>;
  readonly #all: boolean;

  /**
   * `origins`: the origins whose web pages are allowed to read answers. Each entry is an origin such as
   * `https://example.com`, or `*` for all origins. Throws ConfigError if an entry is neither.
   */
  constructor(origins: readonly string[]) {
    this.#origins = new Set(origins.map(readOrigin));
    this.#all = this.#origins.has('*');
  }

  /** Adds the CORS headers to an answer. Success and error answers get the same CORS headers. */
  addHeaders(exchange: Exchange): void {
    if (this.#origins.size === 0) return;
    if (!this.#all) exchange.headers.Vary = 'Accept-Encoding, Origin';
    const allowed = this.#allowed(exchange);
    if (allowed === undefined) return;
    exchange.headers['Access-Control-Allow-Origin'] = allowed;
    exchange.headers['Access-Control-Expose-Headers'] = EXPOSED_HEADERS;
  }

  /**
   * Returns the headers of the answer to a CORS preflight for `method`. Returns undefined if the request is not a
   * preflight, or if its origin is not allowed.
   */
  preflightHeaders(exchange: Exchange, method: string): Record<string, string> | undefined {
    const { request } = exchange;
    if (request.method !== 'OPTIONS' || headerOf(request, 'access-control-request-method') === '') {
      return undefined;
    }
    if (this.#allowed(exchange) === undefined) return undefined;
    return {
      'Access-Control-Allow-Methods': method,
      'Access-Control-Allow-Headers': ALLOWED_HEADERS,
      'Access-Control-Max-Age': String(PREFLIGHT_AGE_SECONDS),
    };
  }

  #allowed({ request }: Exchange): string | undefined {
    // If all origins are allowed, answers to requests without an Origin header get CORS headers too. The reason: a
    // cache can give such an answer to a web page later.
    if (this.#all) return '*';
    const origin = headerOf(request, 'origin');
    if (origin === '') return undefined;
    return this.#origins.has(origin.toLowerCase()) ? origin : undefined;
  }
}

/**
 * Returns an origin (scheme, host and port) in the form that browsers send (RFC 6454, 6.2): in lower case, with an
 * ASCII host, and without the default port of the scheme.
 */
function readOrigin(text: string): string {
  if (text === '*') return text;
  const bare = text.toLowerCase().replace(/\/$/, '');
  // Refuses `*` within an origin: a pattern such as https://*.example.com is a valid URL, but it would never equal an
  // origin that a browser sends.
  if (!/^[a-z][a-z\d+.-]*:\/\/[^\s/\\?#@*]+$/.test(bare) || !URL.canParse(bare)) {
    throw new ConfigError(
      `GSQ_CORS_ORIGINS: "${text}" is not an origin; write https://example.com, or * for all`,
    );
  }
  const { origin } = new URL(bare);
  // For a scheme that the URL Standard does not know, `URL.origin` is only the text `null`. Browsers send the real
  // origin, so this function returns the origin from the setting.
  return origin === 'null' ? bare : origin;
}
