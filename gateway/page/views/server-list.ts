import { html } from './html.ts';
import { ServerCard } from './server-card.ts';
import type { ShownServer } from './shown-server.ts';

/** The answer of `GET /v1/servers`. */
export interface ListAnswer {
  servers: ShownServer[];
  next_page_token: string;
  total_size: number;
}

/** Parameters of a search. They are the query of the page and of `GET /v1/servers`. */
export type ListQuery = Partial<Record<'q' | 'game' | 'status' | 'sort' | 'password' | 'page_token', string>>;

interface Properties {
  query: ListQuery;
  found: ListAnswer;
  /** Id and name of each game. */
  games: readonly (readonly [string, string])[];
}

/** The page of a search: the form, and a card for each found server. */
export function ServerList({ query, found, games }: Properties) {
  const names = new Map(games);
  const next = new URLSearchParams({ ...query, page_token: found.next_page_token });
  return html`<form class="search" action="/" method="get" role="search">
      <label>Name <input type="search" name="q" value=${query.q ?? ''} autocomplete="off" dir="auto" /></label>
      <label>
        Game
        <select name="game">
          <option value="">All games</option>
          ${games.map(([id, name]) => html`<option value=${id} selected=${id === query.game}>${name}</option>`)}
        </select>
      </label>
      <button type="submit">Search</button>
    </form>
    <p class="count" role="status">${found.total_size.toLocaleString('en')} servers</p>
    <ul class="cards">
      ${found.servers.map(
        server => html`<li key=${`${server.game_id} ${server.server}`}>
          <${ServerCard} server=${server} game=${names.get(server.game_id) ?? server.game_id} />
        </li>`,
      )}
    </ul>
    ${found.next_page_token !== '' && html`<a class="next" rel="next" href=${`/?${next}`}>Next page</a>`}`;
}
