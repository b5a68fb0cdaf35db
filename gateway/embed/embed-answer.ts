import { matchesTag, weakTagOf } from '../http/entity-tag.ts';
import type { PublicPaths } from '../json/public-paths.ts';
import { type AnswerVisit, checkVisibility } from '../page/page-answer.ts';
import type { Visit } from '../page/visit.ts';

/** An embed (an image or a frame that other sites show), and how long caches may store it. */
export interface Embed {
  body: string | Buffer;
  /** Value of the header Cache-Control: the time until the next probe of the server. */
  cacheControl: string;
}

/** Dependencies of all embeds (badges, cards, frames and oEmbed answers). */
export interface EmbedContext {
  /**
   * True if callers without a token may see the tracked servers (GSQ_PAGE=on). If false, a request for an embed gets
   * 404.
   */
  isOn: boolean;
  publicPaths: PublicPaths;
}

/**
 * HTTP headers of an answer with an SVG image. Other sites can show the image. If it is opened as a page, it cannot run
 * scripts or load anything.
 */
export const IMAGE_HEADERS: Readonly<Record<string, string>> = {
  'Content-Type': 'image/svg+xml; charset=utf-8',
  'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'",
  'Cross-Origin-Resource-Policy': 'cross-origin',
  'X-Content-Type-Options': 'nosniff',
};

/** HTTP headers of an answer with a PNG image. The headers allow other sites to show the image. */
export const PNG_HEADERS: Readonly<Record<string, string>> = {
  ...IMAGE_HEADERS,
  'Content-Type': 'image/png',
};

/**
 * Returns a function that answers a request for an embed, such as an image or a frame. `build` makes the embed, or
 * rejects with ServiceError, which the caller gets as JSON.
 */
export function embedAnswer(
  context: EmbedContext,
  headers: Readonly<Record<string, string>>,
  build: (visit: Visit) => Promise<Embed>,
): AnswerVisit {
  const isCompressed = headers['Content-Type'] === 'image/png';
  return async visit => {
    checkVisibility(context, visit, 'images');
    const { body: content, cacheControl } = await build(visit);
    const body = Buffer.from(content);
    const tag = weakTagOf(body);
    const sent = { ...headers, ETag: tag, 'Cache-Control': cacheControl };
    if (matchesTag(visit.ifNoneMatch, tag)) return { status: 304, headers: sent };
    return { status: 200, headers: sent, body, isCompressed };
  };
}
