import { hash } from 'node:crypto';
import { Feed } from 'feed';
import type { Exchange, Reply } from '../http/exchange.ts';
import type { Endpoint } from '../http/listener.ts';
import type { Route } from '../http/routes.ts';
import type { BaseUrl } from '../json/base-url.ts';
import { type JsonContext, JsonEndpoint, readReply } from '../json/json-endpoint.ts';

/** The part of the incidents JSON that the Atom feed uses. */
interface Incidents {
  game_id: string;
  server: string;
  incidents: readonly { started: string; ended: string | null; reason: string }[];
}

/**
 * Serves the incidents of a server as an Atom feed (RFC 4287). An incident is a time when the server was offline. The
 * feed has the same content as the route that returns the incidents as JSON. The path of the feed is the path of this
 * route with `.atom` at the end.
 */
export class IncidentsFeed implements Endpoint {
  readonly name = 'incidents_feed';
  readonly method = 'GET';
  readonly wrongMethod = 'ROUTE_2';
  readonly preflights = true;
  readonly #json: JsonEndpoint;
  readonly #baseUrl: BaseUrl;

  /** `route`: the REST route that returns the times when a server was offline (incidents) as JSON. */
  constructor(route: Route, context: JsonContext, baseUrl: BaseUrl) {
    this.#json = new JsonEndpoint(route, context);
    this.#baseUrl = baseUrl;
  }

  async answer(exchange: Exchange): Promise<Reply> {
    const { body, metadata } = await this.#json.callMethod(exchange);
    const incidents = JSON.parse(body.toString('utf8')) as Incidents;
    const text = Buffer.from(feedOf(incidents, this.#baseUrl.baseFor(exchange.request.headers.host)).atom1());
    // Removes the entity tag that the core made for the JSON. The Atom feed gets its own tag, because the feed also
    // depends on the host of the request.
    metadata.remove('etag');
    const reply = readReply(exchange, { body: text, metadata });
    return { ...reply, headers: { ...reply.headers, 'Content-Type': 'application/atom+xml; charset=utf-8' } };
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
    // A feed without incidents always has 1970 as its time of change. The current time would change the entity tag of
    // the feed with each request.
    updated: new Date(Math.max(0, ...updated)),
    generator: 'gsq',
  });
  for (const { started, ended, reason } of incidents) {
    const state = ended === null ? 'is offline' : 'was offline';
    feed.addItem({
      title: html(`${server} ${state}: ${reason}`),
      id: urnOf(gameId, server, started),
      // Atom requires a link in each entry. If the URL of the gateway is not known, the link is the id of the entry. A
      // reader cannot open such a link.
      link: link.link ?? urnOf(gameId, server, started),
      description: html(ended === null ? `Offline since ${started}` : `Offline from ${started} to ${ended}`),
      date: new Date(ended ?? started),
      published: new Date(started),
    });
  }
  return feed;
}

/**
 * Escapes a text as HTML, because the package `feed` writes the texts of an entry unescaped into a CDATA section. The
 * escaped text cannot end the CDATA section.
 */
function html(text: string): string {
  return text.replace(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`);
}

/**
 * Returns the id of a feed or an entry: a URN (RFC 9562, UUID version 8) that is computed only from the given names. So
 * the id stays the same if the URL of the gateway changes.
 */
function urnOf(...names: string[]): string {
  const hex = hash('sha256', JSON.stringify(names), 'hex');
  return `urn:uuid:${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
