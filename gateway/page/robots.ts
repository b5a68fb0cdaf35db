import type { Reply } from '../http/exchange.ts';
import type { Endpoint } from '../http/listener.ts';

/** Content of `/robots.txt`: search engines may read the pages, but not the API, whose answers are not for people. */
const PAGES = 'User-agent: *\nDisallow: /v1/\nDisallow: /oembed\n';
const NOTHING = 'User-agent: *\nDisallow: /\n';

/**
 * Serves `/robots.txt` (RFC 9309), which says what search engines may read. They may read nothing if GSQ_PAGE is off.
 */
export class RobotsEndpoint implements Endpoint {
  readonly name = 'robots';
  readonly method = 'GET';
  readonly acceptsHead = true;
  readonly wrongMethod = 'ROUTE_2';
  readonly preflights = false;
  readonly #body: Buffer;

  constructor(isOn: boolean) {
    this.#body = Buffer.from(isOn ? PAGES : NOTHING);
  }

  answer(): Reply {
    const headers = { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'public, max-age=3600' };
    return { status: 200, headers, body: this.#body };
  }
}
