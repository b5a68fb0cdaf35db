import { matchesTag, weakTagOf } from '../http/entity-tag.ts';
import type { PublicPaths } from '../json/public-paths.ts';
import { type AnswerVisit, checkVisibility } from '../page/page-answer.ts';
import type { Visit } from '../page/visit.ts';

/** An image or a frame, and how long caches may store it. */
export interface Embed {
  body: string | Buffer;
  /** Value of the header Cache-Control: the time until the next probe of the server. */
  cacheControl: string;
}

/** What all embeds need. */
export interface EmbedContext {
  /** True if strangers may see the tracked servers (GSQ_PAGE=on). If false, all embeds are 404. */
  isOn: boolean;
  publicPaths: PublicPaths;
}

/**
 * Headers of images. Other sites may show them. The policy matters only if somebody opens an image as a page: it must
 * not run or load anything.
 */
export const IMAGE_HEADERS: Readonly<Record<string, string>> = {
  'Content-Type': 'image/svg+xml; charset=utf-8',
  'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'",
  'Cross-Origin-Resource-Policy': 'cross-origin',
  'X-Content-Type-Options': 'nosniff',
};

/** Headers of PNG images. Other sites may show them. */
export const PNG_HEADERS: Readonly<Record<string, string>> = {
  ...IMAGE_HEADERS,
  'Content-Type': 'image/png',
};

/**
 * Returns a function that answers with something that other sites show: an image or a frame of one server. `build`:
 * makes the image. Rejects with ServiceError if there is none; callers then get the error as JSON.
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
