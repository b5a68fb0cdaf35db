import type { RestServerPage } from '../../client/rest-types.generated.ts';
import type { CoreReads } from './core-reads.ts';
import type { Page } from './document.ts';
import type { GameNames } from './game-names.ts';
import { counted } from './views/figures.ts';
import { html } from './views/html.ts';
import { LIST_PARAMETERS, type ListQuery, Results, SearchForm } from './views/server-list.ts';
import type { Visit } from './visit.ts';

/** Builds the page `/`: a search over the tracked servers. */
export async function listPage(visit: Visit, reads: CoreReads, games: GameNames): Promise<Page> {
  const given = visit.target.query;
  const query: ListQuery = {};
  // Leaves empty fields of the search form out of the search. Ignores unknown query parameters, which for example
  // newsletters add to links.
  for (const name of LIST_PARAMETERS) {
    const value = given.get(name);
    if (value) query[name] = value;
  }
  const [found, names] = await Promise.all([
    reads.read<RestServerPage>(visit, 'servers', { query }),
    games.load(),
  ]);
  return {
    title: 'Game servers · gsq',
    description: `${counted(found.total_size, 'game server')}, and what is happening there now`,
    script: 'list',
    main: html`<h1>Game servers</h1>
      <${SearchForm} query=${query} games=${[...names]} />
      <p id="search-failure" class="quiet" role="status"></p>
      <div id="results" data-total=${found.total_size} data-next=${found.next_page_token}>
        <${Results} query=${query} found=${found} names=${names} />
      </div>`,
  };
}
