import type { Exchange } from '../http/exchange.ts';
import type { CoreReads } from './core-reads.ts';
import type { Page } from './document.ts';
import type { GameNames } from './game-names.ts';
import { html } from './views/html.ts';
import { type ListAnswer, type ListQuery, ServerList } from './views/server-list.ts';

/** Parameters of the page, which are the same as those of `GET /v1/servers`. */
const PARAMETERS = ['q', 'game', 'status', 'sort', 'password', 'page_token'] as const;

/** Builds the page `/`: a search over the tracked servers. */
export async function listPage(exchange: Exchange, reads: CoreReads, games: GameNames): Promise<Page> {
  const given = exchange.target.query;
  const query: ListQuery = {};
  // Empty fields of the form are left out. Unknown parameters, for example of a link in a newsletter, are ignored.
  for (const name of PARAMETERS) {
    const value = given.get(name);
    if (value) query[name] = value;
  }
  const [found, names] = await Promise.all([
    reads.read<ListAnswer>(exchange, 'servers', { query: { sort: 'players', page_size: '50', ...query } }),
    games.load(),
  ]);
  return {
    title: 'Game servers · gsq',
    description: `${found.total_size} game servers and what is happening on them now`,
    script: 'list',
    main: html`<${ServerList} query=${query} found=${found} games=${[...names]} />`,
  };
}
