import { join } from 'node:path';
import type { Now } from '../../runtime/clock.ts';
import type { CatalogCache } from '../games/catalog-cache.ts';
import type { Mounted } from '../http/listener.ts';
import type { Route } from '../http/routes.ts';
import type { BaseUrl } from '../json/base-url.ts';
import type { JsonContext } from '../json/json-endpoint.ts';
import { Assets, AssetsEndpoint } from './assets.ts';
import { CoreReads } from './core-reads.ts';
import { GameNames } from './game-names.ts';
import { listPage } from './list-page.ts';
import { type BuildPage, type PageContext, PageEndpoint } from './page-endpoint.ts';
import { serverPage } from './server-page.ts';

/** What the pages need from the gateway. */
export interface PagesContext extends JsonContext, Omit<PageContext, 'assets'> {
  catalog: CatalogCache;
  baseUrl: BaseUrl;
  now: Now;
}

/** Returns the endpoints of all pages, and of their scripts and styles. Throws an Error if a route of the core is missing. */
export function pagesOf(routes: readonly Route[], context: PagesContext): Mounted[] {
  const assets = new Assets(join(import.meta.dirname, 'built'));
  const reads = new CoreReads(routes, context);
  const games = new GameNames(context.catalog, context.now);
  const page = (path: string, name: string, build: BuildPage): Mounted => ({
    route: { method: 'GET', path },
    endpoint: new PageEndpoint(name, { ...context, assets }, build),
  });
  return [
    page('/', 'list_page', exchange => listPage(exchange, reads, games)),
    page('/server/{game_id}/{server}', 'server_page', exchange =>
      serverPage(exchange, reads, games, context.now),
    ),
    { route: { method: 'GET', path: '/assets/{name}' }, endpoint: new AssetsEndpoint(assets) },
  ];
}
