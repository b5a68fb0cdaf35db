import type { Now } from '../../runtime/clock.ts';
import { matchesTag } from '../http/entity-tag.ts';
import { type Exchange, headerOf, type Reply } from '../http/exchange.ts';
import type { Endpoint } from '../http/listener.ts';
import type { CatalogCache } from './catalog-cache.ts';

/** GET games: the catalog as a bare array (SPEC, game catalog). */
export class GamesEndpoint implements Endpoint {
  readonly name = 'games';
  readonly wrongMethod = 'GET_1';
  readonly preflights = false;
  readonly method: string;
  readonly #cache: CatalogCache;
  readonly #now: Now;

  constructor(method: string, cache: CatalogCache, now: Now) {
    this.method = method;
    this.#cache = cache;
    this.#now = now;
  }

  async answer({ request }: Exchange): Promise<Reply> {
    const { body, gzipped, tag, loadedAt, freshUntil } = await this.#cache.get();
    const age = Math.max(0, Math.floor((freshUntil - this.#now()) / 1000));
    const headers = {
      ETag: tag,
      'Last-Modified': new Date(loadedAt).toUTCString(),
      'Cache-Control': `public, max-age=${age}`,
    };
    const unchanged = request.headers['if-none-match']
      ? matchesTag(request.headers['if-none-match'], tag)
      : isNotNewer(loadedAt, headerOf(request, 'if-modified-since'));
    return unchanged ? { status: 304, headers } : { status: 200, headers, body, gzipped };
  }
}

/** If-Modified-Since counts whole seconds and only where there is no If-None-Match (RFC 9110, 13.1.3). */
function isNotNewer(loadedAt: number, since: string): boolean {
  return Math.floor(loadedAt / 1000) * 1000 <= Date.parse(since);
}
