// The script of the page `/`: searches while the user types, and keeps the shown servers up to date.

import { render } from 'preact';
import { RestClient, type RestServerPage } from '../../../client/rest-client.ts';
import { html } from '../views/html.ts';
import { LIST_PARAMETERS, type ListQuery, listPath, Results } from '../views/server-list.ts';
import type { ShownServer } from '../views/shown-server.ts';
import { keyOf, LiveServers, refOf } from './parts/live-servers.ts';
import { ShownResults } from './parts/shown-results.ts';
import { Trends } from './parts/trends.ts';

/** The search begins after this time without a key press in the search form, ms. */
const TYPING_MS = 120;

const client = new RestClient({ baseUrl: '' });
const form = document.querySelector<HTMLFormElement>('form.search');
const results = document.querySelector<HTMLElement>('#results');

if (form && results) startList(form, results);

function startList(form: HTMLFormElement, results: HTMLElement): void {
  const names = new Map(
    [...form.querySelectorAll<HTMLOptionElement>('select[name=game] option')].map(({ value, text }) => [
      value,
      text,
    ]),
  );
  const trends = new Trends(client);
  let query: ListQuery = Object.fromEntries(new URLSearchParams(location.search));
  let found: RestServerPage | undefined;
  let typing: ReturnType<typeof setTimeout> | undefined;
  let running: AbortController | undefined;

  const show = (): void => {
    if (found)
      render(
        html`<${Results} query=${query} found=${found} names=${names} trends=${trends.players} />`,
        results,
      );
  };
  const showTrends = async (servers: readonly Pick<ShownServer, 'game_id' | 'server'>[]): Promise<void> => {
    if (await trends.load(servers)) show();
  };
  const first = new ShownResults(results);
  const live = new LiveServers(states => {
    found = found
      ? { ...found, servers: found.servers.flatMap(server => newest(server, states)) }
      : first.addStates(states);
    show();
  });

  const search = async (): Promise<void> => {
    running?.abort();
    const mine = new AbortController();
    running = mine;
    results.setAttribute('aria-busy', 'true');
    try {
      // Passes the query of the page on unchanged, because the page `/` and `GET /v1/servers` have the same query
      // parameters.
      const answer = await client.servers(new URLSearchParams(query), { signal: mine.signal });
      found = answer;
      history.replaceState(null, '', listPath(query));
      show();
      live.follow(answer.servers.map(keyOf));
      void showTrends(answer.servers);
    } catch {
      // The search failed because a newer search has begun, or because the service does not answer. In both cases, the
      // page keeps the servers that it shows.
    } finally {
      if (running === mine) results.removeAttribute('aria-busy');
    }
  };

  const readForm = (): ListQuery => {
    const given = new FormData(form);
    const read = LIST_PARAMETERS.map(name => [name, String(given.get(name) ?? '').trim()] as const);
    return Object.fromEntries(read.filter(([, value]) => value !== ''));
  };
  form.addEventListener('input', () => {
    clearTimeout(typing);
    typing = setTimeout(() => {
      query = readForm();
      void search();
    }, TYPING_MS);
  });
  form.addEventListener('submit', event => {
    event.preventDefault();
    clearTimeout(typing);
    query = readForm();
    void search();
  });
  live.follow(first.keys);
  void showTrends(first.keys.map(refOf));
}

/**
 * Returns the newest state of one server of the list on the web page, as an array for `flatMap`. If gsq no longer
 * tracks the server, the array is empty, and `flatMap` removes the server from the list.
 */
function newest(
  server: ShownServer,
  states: ReadonlyMap<string, ShownServer | undefined>,
): readonly ShownServer[] {
  const key = keyOf(server);
  if (!states.has(key)) return [server];
  const state = states.get(key);
  return state ? [state] : [];
}
