import type { Now } from '../../runtime/clock.ts';
import { matchesTag } from '../http/entity-tag.ts';
import { type Exchange, headerOf, type Reply } from '../http/exchange.ts';
import type { Endpoint } from '../http/listener.ts';
import { type CatalogBody, type CatalogCache, freshMsOf } from './catalog-cache.ts';

type CatalogReply = Reply & Required<Pick<Reply, 'headers'>>;

/** Serves `GET /v1/get/games`: returns the game catalog as a JSON array (SPEC, game catalog). */
export class GamesEndpoint implements Endpoint {
  readonly name = 'games';
  readonly wrongMethod = 'GET_1';
  readonly preflights = false;
  readonly method: string;
  readonly #cache: CatalogCache;
  readonly #now: Now;
  #last: { catalog: CatalogBody; maxAge: number; reply: CatalogReply } | undefined;

  constructor(method: string, cache: CatalogCache, now: Now) {
    this.method = method;
    this.#cache = cache;
    this.#now = now;
  }

  acceptsPlain(): boolean {
    return true;
  }

  answer(exchange: Exchange): Reply | Promise<Reply> {
    const catalog = this.#cache.current(this.#now());
    return catalog ? this.#replyWith(catalog, exchange) : this.#loadAndReply(exchange);
  }

  async #loadAndReply(exchange: Exchange): Promise<Reply> {
    return this.#replyWith(await this.#cache.load(), exchange);
  }

  #replyWith(catalog: CatalogBody, { request }: Exchange): Reply {
    const reply = this.#replyOf(catalog);
    const { 'if-none-match': ifNoneMatch } = request.headers;
    const unchanged = ifNoneMatch
      ? matchesTag(ifNoneMatch, catalog.tag)
      : isNotNewer(catalog.loadedAt, headerOf(request, 'if-modified-since'));
    return unchanged ? { status: 304, headers: reply.headers } : reply;
  }

  /**
   * Returns the HTTP reply with the game catalog. All requests within a second get the same reply object. In the next
   * second the value of max-age is different, so a new reply object is created.
   */
  #replyOf(catalog: CatalogBody): CatalogReply {
    const { body, gzipped, tag, loadedAt } = catalog;
    const maxAge = Math.floor(freshMsOf(catalog, this.#now()) / 1000);
    if (this.#last?.catalog === catalog && this.#last.maxAge === maxAge) return this.#last.reply;
    const headers = {
      ETag: tag,
      'Last-Modified': new Date(loadedAt).toUTCString(),
      'Cache-Control': `public, max-age=${maxAge}`,
    };
    const reply = { status: 200, headers, body, gzipped: () => gzipped };
    this.#last = { catalog, maxAge, reply };
    return reply;
  }
}

/**
 * Returns true if the catalog is unchanged since the date in the If-Modified-Since header. Times are compared in whole
 * seconds (RFC 9110, 13.1.3).
 */
function isNotNewer(loadedAt: number, since: string): boolean {
  return since !== '' && Math.floor(loadedAt / 1000) * 1000 <= Date.parse(since);
}
