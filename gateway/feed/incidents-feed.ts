import { hash } from 'node:crypto';
import { Feed } from 'feed';
import { type Exchange, incomingOf, type Reply } from '../http/exchange.ts';
import type { Endpoint } from '../http/listener.ts';
import type { Route } from '../http/routes.ts';
import { type JsonContext, JsonEndpoint, readReply } from '../json/json-endpoint.ts';
import { hostOf, isLoopbackHost } from '../json/public-paths.ts';

/** The fields of the incidents JSON that the feed uses. */
interface Incidents {
  game_id: string;
  server: string;
  incidents: readonly { started: string; ended: string | null; reason: string }[];
}

/**
 * Serves the incidents of a server as an Atom feed (RFC 4287): the same page as the JSON of the incidents, at the same
 * path with `.atom` at its end.
 */
export class IncidentsFeed implements Endpoint {
  readonly name = 'incidents_feed';
  readonly method = 'GET';
  readonly wrongMethod = 'ROUTE_2';
  readonly preflights = true;
  readonly #json: JsonEndpoint;
  readonly #url: URL | undefined;
  readonly #scheme: string;

  /** `route`: route of the incidents. `url`: URL under which people reach the gateway, if known. */
  constructor(route: Route, context: JsonContext, url: URL | undefined, isTls: boolean) {
    this.#json = new JsonEndpoint(route, context);
    this.#url = url;
    this.#scheme = isTls ? 'https' : 'http';
  }

  async answer(exchange: Exchange): Promise<Reply> {
    const { body, metadata } = await this.#json.callMethod(exchange);
    const incidents = JSON.parse(body.toString('utf8')) as Incidents;
    const text = Buffer.from(feedOf(incidents, this.#baseFor(exchange)).atom1());
    // The tag of the core belongs to the JSON, and the feed also depends on the host of the request.
    metadata.remove('etag');
    const reply = readReply(exchange, { body: text, metadata });
    return { ...reply, headers: { ...reply.headers, 'Content-Type': 'application/atom+xml; charset=utf-8' } };
  }

  /**
   * Returns the URL of the gateway for links. The Host header of a request is used only if it means this machine,
   * because a caller can write any host into it.
   */
  #baseFor(exchange: Exchange): string | undefined {
    if (this.#url) return this.#url.href.replace(/\/$/, '');
    const { host } = incomingOf(exchange).headers;
    return isLoopbackHost(hostOf(host)) ? `${this.#scheme}://${host}` : undefined;
  }
}

function feedOf({ game_id: gameId, server, incidents }: Incidents, base: string | undefined): Feed {
  const path = `/v1/servers/${encodeURIComponent(gameId)}/${encodeURIComponent(server)}`;
  const link = base === undefined ? {} : { link: `${base}${path}` };
  const updated = incidents.map(({ started, ended }) => Date.parse(ended ?? started));
  const feed = new Feed({
    title: `${gameId} ${server}: incidents`,
    id: urnOf(gameId, server),
    ...link,
    ...(base !== undefined && { feedLinks: { atom: `${base}${path}/incidents.atom` } }),
    // Without an incident there is no time of a change. A fixed time keeps the entity tag of the feed stable.
    updated: new Date(Math.max(0, ...updated)),
    generator: 'gsq',
  });
  for (const { started, ended, reason } of incidents) {
    const state = ended === null ? 'is offline' : 'was offline';
    feed.addItem({
      title: html(`${server} ${state}: ${reason}`),
      id: urnOf(gameId, server, started),
      // Each entry must have a link. Without the URL of the gateway, it is the id, which leads nowhere.
      link: link.link ?? urnOf(gameId, server, started),
      description: html(ended === null ? `Offline since ${started}` : `Offline from ${started} to ${ended}`),
      date: new Date(ended ?? started),
      published: new Date(started),
    });
  }
  return feed;
}

/**
 * Returns a text as HTML. The package `feed` writes the texts of an entry as HTML in a CDATA section, and escapes
 * nothing. The result cannot end this section.
 */
function html(text: string): string {
  return text.replace(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`);
}

/** Returns an id that is equal for equal names, whatever the URL of the gateway is (RFC 9562, UUID version 8). */
function urnOf(...names: string[]): string {
  const hex = hash('sha256', JSON.stringify(names), 'hex');
  return `urn:uuid:${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
