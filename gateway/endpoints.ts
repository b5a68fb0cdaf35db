import type { Now } from '../runtime/clock.ts';
import { documentsOf } from './docs/documents.ts';
import { embedsOf } from './embed/embeds.ts';
import type { Rasteriser } from './embed/png/rasteriser.ts';
import { EventsEndpoint } from './events/events-endpoint.ts';
import { IncidentsFeed } from './feed/incidents-feed.ts';
import { FetchEndpoint } from './fetch/fetch-endpoint.ts';
import type { CatalogCache } from './games/catalog-cache.ts';
import { GamesEndpoint } from './games/games-endpoint.ts';
import type { Mounted } from './http/listener.ts';
import { bindRoutes, type Route } from './http/routes.ts';
import type { BaseUrl } from './json/base-url.ts';
import { type JsonContext, JsonEndpoint } from './json/json-endpoint.ts';
import { Assets } from './page/assets.ts';
import { CoreReads } from './page/core-reads.ts';
import { GameNames } from './page/game-names.ts';
import { PageBudget } from './page/page-budget.ts';
import type { PageContext } from './page/page-context.ts';
import { pagesOf } from './page/pages.ts';
import type { JsonCalls } from './upstream/json-calls.ts';

/** Dependencies of the endpoints of the gateway. */
export interface EndpointContext extends JsonContext, Omit<PageContext, 'assets' | 'budget'> {
  catalog: CatalogCache;
  baseUrl: BaseUrl;
  now: Now;
  /** Calls for event streams, on a connection of their own. */
  streamCalls: JsonCalls;
  /** Draws PNG images. The caller closes it. */
  rasteriser: Rasteriser;
  /** Called with the endpoint of the event streams, so that the caller can close it at shutdown. */
  onEvents(endpoint: EventsEndpoint): void;
}

type MakeEndpoints = (route: Route) => Mounted[];

/**
 * Returns the endpoint of each REST route, and the endpoints of pages, documents and embeds. A route without a special
 * endpoint gets the common endpoint, which serves all methods that return JSON. Throws an Error if a special endpoint
 * has no route.
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
  const shown = {
    ...context,
    reads: new CoreReads(routes, context),
    games: new GameNames(catalog, now),
    assets: new Assets(),
    budget: new PageBudget(),
  };
  return [...api, ...pagesOf(shown), ...documentsOf(shown), ...embedsOf(shown)];
}
