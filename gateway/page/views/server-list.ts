import type { RestServerPage } from '../../../client/rest-types.generated.ts';
import { counted } from './figures.ts';
import { html } from './html.ts';
import { ServerCard } from './server-card.ts';
import type { Players } from './sparkline.ts';

/** Names of the parameters of a search for servers. They are the query parameters of `GET /v1/servers`. */
export const LIST_PARAMETERS = [
  'q',
  'game',
  'status',
  'players_min',
  'password',
  'sort',
  'page_token',
] as const;

/** Values of the parameters of a search for servers. An absent parameter means any value. */
export type ListQuery = Partial<Record<(typeof LIST_PARAMETERS)[number], string>>;

/** Id and name of each game. */
type Games = readonly (readonly [string, string])[];

interface FormProperties {
  query: ListQuery;
  games: Games;
}

/** The choices of the search form: for each search parameter, the possible values and their names. */
const CHOICES = [
  [
    'status',
    'Status',
    [
      ['', 'Any'],
      ['online', 'Online'],
      ['offline', 'Offline'],
      ['pending', 'Pending'],
    ],
  ],
  [
    'players_min',
    'Players',
    [
      ['', 'Any'],
      ['1', 'At least 1'],
      ['10', 'At least 10'],
      ['50', 'At least 50'],
    ],
  ],
  [
    'password',
    'Password',
    [
      ['', 'Any'],
      ['false', 'Without'],
      ['true', 'With'],
    ],
  ],
  [
    'sort',
    'Order',
    [
      ['', 'Most players'],
      ['-players', 'Fewest players'],
      ['name', 'Name'],
      ['-name', 'Name, Z to A'],
    ],
  ],
] as const;

/** The form that searches for servers. It works without scripts. */
export function SearchForm({ query, games }: FormProperties) {
  return html`<form class="search" action="/" method="get" role="search">
    <label class="words">
      Name
      <input type="search" name="q" value=${query.q ?? ''} maxlength="256" autocomplete="off" spellcheck="false" dir="auto" />
    </label>
    <${Choice} name="game" label="Game" values=${[['', 'All games'], ...games]} chosen=${query.game} />
    ${CHOICES.map(
      ([name, label, values]) =>
        html`<${Choice} name=${name} label=${label} values=${values} chosen=${query[name]} />`,
    )}
    <button type="submit">Search</button>
  </form>`;
}

interface ChoiceProperties {
  name: string;
  label: string;
  values: Games;
  chosen: string | undefined;
}

function Choice({ name, label, values, chosen = '' }: ChoiceProperties) {
  return html`<label>
    ${label}
    <select name=${name}>
      ${values.map(
        ([value, text]) => html`<option value=${value} selected=${value === chosen}>${text}</option>`,
      )}
    </select>
  </label>`;
}

interface ResultsProperties {
  query: ListQuery;
  found: RestServerPage;
  /** Names of the games, keyed by id. */
  names: ReadonlyMap<string, string>;
  /**
   * Numbers of players of the servers in the last 24 hours, keyed by `game_id/address`. Absent if they are not loaded.
   */
  trends?: ReadonlyMap<string, Players>;
}

/** The servers that a search found: their number, a card for each, and links to other pages of the list. */
export function Results({ query, found, names, trends }: ResultsProperties) {
  const { servers, total_size: total, next_page_token: next } = found;
  return html`<p class="count" role="status">${counted(total, 'server')}</p>
    ${servers.length === 0 && html`<${Nothing} query=${query} />`}
    <ul class="cards">
      ${servers.map(
        server => html`<li
          key=${`${server.game_id}/${server.server}`}
          data-server=${`${server.game_id}/${server.server}`}
        >
          <${ServerCard}
            server=${server}
            game=${names.get(server.game_id) ?? server.game_id}
            trend=${trends?.get(`${server.game_id}/${server.server}`)}
          />
        </li>`,
      )}
    </ul>
    <nav class="pages" aria-label="Pages">
      ${query.page_token !== undefined && html`<a href=${listPath({ ...query, page_token: '' })}>First page</a>`}
      ${next !== '' && html`<a rel="next" href=${listPath({ ...query, page_token: next })}>Next page</a>`}
    </nav>`;
}

function Nothing({ query }: { query: ListQuery }) {
  if (Object.keys(query).length > 0) return html`<p>No server matches. <a href="/">Show all servers</a></p>`;
  return html`<p>
    No server is tracked yet. Every server that somebody asks for through the API appears here.
  </p>`;
}

/** Returns the path, with the query, of the page that shows the result of a search. Leaves out empty parameters. */
export function listPath(query: ListQuery): string {
  const given = new URLSearchParams();
  for (const name of LIST_PARAMETERS) {
    const value = query[name];
    if (value) given.set(name, value);
  }
  return given.size === 0 ? '/' : `/?${given}`;
}
