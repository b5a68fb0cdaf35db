import { ServiceError } from '../../proto/service-error.ts';
import { matchesTag, weakTagOf } from '../http/entity-tag.ts';
import { type Exchange, headerOf, incomingOf, type Reply } from '../http/exchange.ts';
import type { Endpoint } from '../http/listener.ts';
import type { PublicPaths } from '../json/public-paths.ts';
import type { PageBudget } from '../page/page-budget.ts';

/** An image or a frame, and how long caches may store it. */
export interface Embed {
  body: string | Buffer;
  /** Value of the header Cache-Control: the time until the next probe of the server. */
  cacheControl: string;
}

/** Dependencies of all embeds. */
export interface EmbedContext {
  /** True if strangers may see the tracked servers (GSQ_PAGE=on). If false, all embeds are 404. */
  isOn: boolean;
  publicPaths: PublicPaths;
  /** Limits the work for pages and images. */
  budget: PageBudget;
}

/**
 * Headers of SVG images, which other sites may show. If somebody opens an image as a page, the Content-Security-Policy
 * keeps the image from running or loading anything.
 */
export const IMAGE_HEADERS: Readonly<Record<string, string>> = {
  'Content-Type': 'image/svg+xml; charset=utf-8',
  'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'",
  'Cross-Origin-Resource-Policy': 'cross-origin',
  'X-Content-Type-Options': 'nosniff',
};

/** Headers of PNG images, which other sites may show. */
export const PNG_HEADERS: Readonly<Record<string, string>> = {
  ...IMAGE_HEADERS,
  'Content-Type': 'image/png',
};

/** Serves an embed, which other sites show: an image or a frame of one server. */
export class EmbedEndpoint implements Endpoint {
  /**
   * Undefined (all methods) if GSQ_PAGE is off. The path is then 404 for every method, like a path that does not exist.
   */
  readonly method: 'GET' | undefined;
  readonly acceptsHead = true;
  readonly wrongMethod = 'ROUTE_2';
  readonly preflights = false;
  readonly name: string;
  readonly #context: EmbedContext;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #build: (exchange: Exchange) => Promise<Embed>;

  /**
   * `build`: makes the embed. If the embed cannot be made, `build` rejects with ServiceError, and the caller gets the
   * error as JSON.
   */
  constructor(
    name: string,
    context: EmbedContext,
    headers: Readonly<Record<string, string>>,
    build: (exchange: Exchange) => Promise<Embed>,
  ) {
    this.name = name;
    this.method = context.isOn ? 'GET' : undefined;
    this.#context = context;
    this.#headers = headers;
    this.#build = build;
  }

  async answer(exchange: Exchange): Promise<Reply> {
    if (!this.#context.isOn)
      throw new ServiceError('ROUTE_1', 'This service shows no images, because GSQ_PAGE is off.');
    this.#context.publicPaths.checkPublicHost(incomingOf(exchange));
    const { body: content, cacheControl } = await this.#context.budget.build(
      () => this.#build(exchange),
      embed => embed,
    );
    const body = Buffer.from(content);
    const tag = weakTagOf(body);
    const headers = { ...this.#headers, ETag: tag, 'Cache-Control': cacheControl };
    if (matchesTag(headerOf(exchange.request, 'if-none-match'), tag)) return { status: 304, headers };
    return { status: 200, headers, body, isCompressed: this.#headers['Content-Type'] === 'image/png' };
  }
}
