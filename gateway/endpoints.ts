import type { Now } from '../runtime/clock.ts';
import { documentsOf } from './docs/documents.ts';
import { EventsEndpoint } from './events/events-endpoint.ts';
import { IncidentsFeed } from './feed/incidents-feed.ts';
import { FetchEndpoint } from './fetch/fetch-endpoint.ts';
import type { CatalogCache } from './games/catalog-cache.ts';
import { GamesEndpoint } from './games/games-endpoint.ts';
import type { Mounted } from './http/listener.ts';
import { bindRoutes, type Route } from './http/routes.ts';
import type { BaseUrl } from './json/base-url.ts';
import { type JsonContext, JsonEndpoint } from './json/json-endpoint.ts';
import { Assets, AssetsEndpoint } from './page/assets.ts';
import { RobotsEndpoint } from './page/robots.ts';
import { type PageEndpointContext, pageEndpoints } from './page-thread/page-endpoint.ts';
import type { JsonCalls } from './upstream/json-calls.ts';

/** Dependencies of the endpoints of the gateway. */
export interface EndpointContext extends JsonContext, PageEndpointContext {
  catalog: CatalogCache;
  baseUrl: BaseUrl;
  now: Now;
  /** Makes the calls for event streams, on a separate connection to the core. */
  streamCalls: JsonCalls;
  /** Called with the endpoint of the event streams, so that the caller of `endpointsOf` can close it at shutdown. */
  onEvents(endpoint: EventsEndpoint): void;
}

type MakeEndpoints = (route: Route) => Mounted[];

/**
 * Returns the endpoint of each REST route, and the endpoints of pages, images and documents. A route without a special
 * endpoint gets the common endpoint for JSON. Throws an Error if a special endpoint has no route.
 */
export function endpointsOf(routes: readonly Route[], context: EndpointContext): Mounted[] {
  const { catalog, now, fetchCalls, bodyMemory } = context;
  const own: Record<string, MakeEndpoints> = {
    'gsq.v1.GameService.ListGamesJson': route => [
      { route, endpoint: new GamesEndpoint(route.method, catalog, now) },
    ],
    'gsq.v1.ServerService.FetchServersJson': route => [
      { route, endpoint: new FetchEndpoint(route.method, fetchCalls, bodyMemory) },
    ],
    'gsq.v1.ServerService.WatchServersJson': route => {
      const endpoint = new EventsEndpoint(route, { ...context, calls: context.streamCalls });
      context.onEvents(endpoint);
      return [{ route, endpoint }];
    },
    'gsq.v1.HistoryService.ListIncidentsJson': route => [
      { route, endpoint: new JsonEndpoint(route, context) },
      {
        route: { method: 'GET', path: `${route.path}.atom` },
        endpoint: new IncidentsFeed(route, context, context.baseUrl),
      },
    ],
  };
  const any: MakeEndpoints = route => [{ route, endpoint: new JsonEndpoint(route, context) }];
  const api = bindRoutes(routes, own, any).flatMap(({ route, handler }) => handler(route));
  return [
    ...api,
    ...pageEndpoints(context),
    ...documentsOf(context.baseUrl),
    { route: { method: 'GET', path: '/assets/{name}' }, endpoint: new AssetsEndpoint(new Assets()) },
    { route: { method: 'GET', path: '/robots.txt' }, endpoint: new RobotsEndpoint(context.isOn) },
  ];
}
