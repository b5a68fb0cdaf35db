// The script of the page `/`: searches while the user types, and keeps the shown servers up to date.

import { render } from 'preact';
import { html } from '../views/html.ts';
import { LIST_PARAMETERS, type ListAnswer, type ListQuery, listPath, Results } from '../views/server-list.ts';
import type { ShownServer } from '../views/shown-server.ts';
import { keyOf, LiveServers } from './parts/live-servers.ts';
import { ShownResults } from './parts/shown-results.ts';

/** Time without a key press after which a search begins, ms. */
const TYPING_MS = 120;

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
  let query: ListQuery = Object.fromEntries(new URLSearchParams(location.search));
  let found: ListAnswer | undefined;
  let typing: ReturnType<typeof setTimeout> | undefined;
  let running: AbortController | undefined;

  const show = (): void => {
    if (found) render(html`<${Results} query=${query} found=${found} names=${names} />`, results);
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
      const answer = await ask(query, mine.signal);
      found = answer;
      history.replaceState(null, '', listPath(query));
      show();
      live.follow(answer.servers.map(keyOf));
    } catch {
      // A newer search has begun, or the service does not answer. The page then keeps what it shows.
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
}

/** Searches servers. If too many requests were sent, tries again after the time that the service names. */
async function ask(query: ListQuery, signal: AbortSignal): Promise<ListAnswer> {
  const target = listPath(query).slice(1);
  for (;;) {
    const response = await fetch(`/v1/servers${target}`, { signal });
    if (response.ok) return (await response.json()) as ListAnswer;
    const seconds = Number(response.headers.get('retry-after'));
    if (!(seconds > 0)) throw new Error(`HTTP ${response.status}`);
    await new Promise(resolve => setTimeout(resolve, 1_000 * seconds));
    signal.throwIfAborted();
  }
}

/** Returns the newest state of a server: nothing if it is no longer tracked. */
function newest(
  server: ShownServer,
  states: ReadonlyMap<string, ShownServer | undefined>,
): readonly ShownServer[] {
  const key = keyOf(server);
  if (!states.has(key)) return [server];
  const state = states.get(key);
  return state ? [state] : [];
}
