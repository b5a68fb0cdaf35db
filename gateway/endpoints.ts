import type { Now } from '../runtime/clock.ts';
import type { Mounted } from './app.ts';
import { FetchEndpoint } from './fetch/fetch-endpoint.ts';
import type { CatalogCache } from './games/catalog-cache.ts';
import { GamesEndpoint } from './games/games-endpoint.ts';
import { bindRoutes, type Route } from './http/routes.ts';
import { type JsonContext, JsonEndpoint } from './json/json-endpoint.ts';

/** What the endpoints of the gateway need. */
export interface EndpointContext extends JsonContext {
  catalog: CatalogCache;
  now: Now;
}

type MakeEndpoints = (route: Route) => Mounted[];

/**
 * Returns the endpoint of each route. A route without code of its own gets the endpoint that serves any method which
 * returns JSON. Throws an Error if a route with code of its own is missing.
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
    'gsq.v1.ServerService.WatchServersJson': () => [],
  };
  const any: MakeEndpoints = route => [{ route, endpoint: new JsonEndpoint(route, context) }];
  return bindRoutes(routes, own, any).flatMap(({ route, handler }) => handler(route));
}
