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

/** Allows web pages of certain origins to read answers (Fetch Standard, CORS protocol). Without origins it sets no header. */
export class Cors {
  readonly #origins: ReadonlySet<string>;
  readonly #all: boolean;

  /** `origins`: each like `https://example.com`; `*` for all. Throws ConfigError on any other text. */
  constructor(origins: readonly string[]) {
    this.#origins = new Set(origins.map(readOrigin));
    this.#all = this.#origins.has('*');
  }

  /** Sets the CORS headers of any answer on the exchange. */
  addHeaders(exchange: Exchange): void {
    if (this.#origins.size === 0) return;
    if (!this.#all) exchange.headers.Vary = 'Accept-Encoding, Origin';
    const allowed = this.#allowed(exchange);
    if (allowed === undefined) return;
    exchange.headers['Access-Control-Allow-Origin'] = allowed;
    exchange.headers['Access-Control-Expose-Headers'] = EXPOSED_HEADERS;
  }

  /** The headers that answer a preflight for `method`; undefined if it is no preflight or its origin is not allowed. */
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
    const origin = headerOf(request, 'origin');
    if (origin === '') return undefined;
    if (this.#all) return '*';
    return this.#origins.has(origin.toLowerCase()) ? origin : undefined;
  }
}

/** An origin as browsers write it (RFC 6454, 6.2): lower case, the host in ASCII, without the default port of its scheme. */
function readOrigin(text: string): string {
  if (text === '*') return text;
  const bare = text.toLowerCase().replace(/\/$/, '');
  // A pattern such as https://*.example.com is a valid URL, but would match no origin.
  if (!/^[a-z][a-z\d+.-]*:\/\/[^\s/\\?#@*]+$/.test(bare) || !URL.canParse(bare)) {
    throw new ConfigError(
      `GSQ_CORS_ORIGINS: "${text}" is no origin; write https://example.com, or * for all`,
    );
  }
  const { origin } = new URL(bare);
  // The URL Standard gives schemes it does not know the origin `null`; browsers send such origins as they are.
  return origin === 'null' ? bare : origin;
}
