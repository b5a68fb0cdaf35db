// The script of the page `/`: searches while the user types, and keeps the shown servers up to date.

import { render } from 'preact';
import { RestClient } from '../../../client/rest-client.ts';
import { html } from '../views/html.ts';
import { LIST_PARAMETERS, type ListQuery, listPath, Results } from '../views/server-list.ts';
import type { ShownServer } from '../views/shown-server.ts';
import { keyOf, LiveServers, refOf } from './parts/live-servers.ts';
import { ServerSearch } from './parts/server-search.ts';
import { ShownResults } from './parts/shown-results.ts';
import { Trends } from './parts/trends.ts';

/** The search begins after this time without a key press in the search form, ms. */
const TYPING_MS = 120;

const client = new RestClient({ baseUrl: '' });
const form = document.querySelector<HTMLFormElement>('form.search');
const results = document.querySelector<HTMLElement>('#results');
const notice = document.querySelector<HTMLElement>('#search-failure');

if (form && results && notice) startList(form, results, notice);

function startList(form: HTMLFormElement, results: HTMLElement, notice: HTMLElement): void {
  const names = new Map(
    [...form.querySelectorAll<HTMLOptionElement>('select[name=game] option')].map(({ value, text }) => [
      value,
      text,
    ]),
  );
  const trends = new Trends(client);
  const search = new ServerSearch(
    Object.fromEntries(new URLSearchParams(location.search)),
    {
      showResult: (query, found) =>
        render(
          html`<${Results} query=${query} found=${found} names=${names} trends=${trends.players} />`,
          results,
        ),
      setBusy: isBusy => {
        if (isBusy) results.setAttribute('aria-busy', 'true');
        else results.removeAttribute('aria-busy');
      },
      setNotice: text => {
        notice.textContent = text;
      },
    },
    // Sends the query of the page to the service unchanged, because the page `/` and `GET /v1/servers` have the same
    // query parameters.
    (query, signal) => client.servers(new URLSearchParams(query), { signal }),
  );
  const showTrends = async (servers: readonly Pick<ShownServer, 'game_id' | 'server'>[]): Promise<void> => {
    if (await trends.load(servers)) search.show();
  };
  const first = new ShownResults(results);
  const live = new LiveServers(states => search.addStates(states, () => first.addStates(states)), {
    tab: document,
  });

  let typing: ReturnType<typeof setTimeout> | undefined;
  const searchForm = async (): Promise<void> => {
    const query = queryOf(form);
    const found = await search.search(query);
    if (!found) return;
    history.replaceState(null, '', listPath(query));
    live.follow(found.servers.map(keyOf));
    void showTrends(found.servers);
  };
  form.addEventListener('input', () => {
    clearTimeout(typing);
    typing = setTimeout(() => void searchForm(), TYPING_MS);
  });
  form.addEventListener('submit', event => {
    event.preventDefault();
    clearTimeout(typing);
    void searchForm();
  });
  live.follow(first.keys);
  void showTrends(first.keys.map(refOf));
}

/** Returns the search that the form contains. Leaves out empty fields. */
function queryOf(form: HTMLFormElement): ListQuery {
  const given = new FormData(form);
  const read = LIST_PARAMETERS.map(name => [name, String(given.get(name) ?? '').trim()] as const);
  return Object.fromEntries(read.filter(([, value]) => value !== ''));
}
