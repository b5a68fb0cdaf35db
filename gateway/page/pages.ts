import type { Now } from '../../runtime/clock.ts';
import type { Mounted } from '../http/listener.ts';
import type { BaseUrl } from '../json/base-url.ts';
import { AssetsEndpoint } from './assets.ts';
import type { CoreReads } from './core-reads.ts';
import type { GameNames } from './game-names.ts';
import { listPage } from './list-page.ts';
import type { PageContext } from './page-context.ts';
import { type BuildPage, PageEndpoint } from './page-endpoint.ts';
import { RobotsEndpoint } from './robots.ts';
import { serverPage } from './server-page.ts';
import { statusPage } from './status-page.ts';

/** Objects and settings that the endpoints of the pages need. */
export interface PagesContext extends PageContext {
  reads: CoreReads;
  games: GameNames;
  baseUrl: BaseUrl;
  now: Now;
}

/** Returns the endpoints of all pages, and of their scripts and styles. */
export function pagesOf(context: PagesContext): Mounted[] {
  const { assets, reads, games, baseUrl, now } = context;
  const page = (path: string, name: string, build: BuildPage): Mounted => ({
    route: { method: 'GET', path },
    endpoint: new PageEndpoint(name, context, 'servers', build),
  });
  return [
    page('/', 'list_page', exchange => listPage(exchange, reads, games)),
    page('/server/{game_id}/{server}', 'server_page', exchange =>
      serverPage(exchange, reads, games, baseUrl, now),
    ),
    page('/status', 'status_page', exchange => statusPage(exchange, reads, games)),
    { route: { method: 'GET', path: '/assets/{name}' }, endpoint: new AssetsEndpoint(assets) },
    { route: { method: 'GET', path: '/robots.txt' }, endpoint: new RobotsEndpoint(context.isOn) },
  ];
}
