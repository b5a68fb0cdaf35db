import type { RestServerPage } from '../../../../client/rest-types.generated.ts';
import type { ListQuery } from '../../views/server-list.ts';
import type { ShownServer } from '../../views/shown-server.ts';
import { LatestLoad } from './latest-load.ts';
import { keyOf } from './live-servers.ts';

const FAILED = 'The search failed. The page still shows the servers of the search before.';

/** The parts of the page `/` that a search changes. */
export interface SearchPage {
  /** Draws the result of a search. The links to other pages of the result contain `query`. */
  showResult(query: ListQuery, found: RestServerPage): void;
  setBusy(isBusy: boolean): void;
  /** Shows a sentence about the search. An empty text removes the sentence. */
  setNotice(text: string): void;
}

/**
 * Searches servers for the page `/`, and shows the result. When a search has succeeded, replaces the old query and the
 * old result at the same time, because a page token of the old result is not valid for a new query.
 */
export class ServerSearch {
  readonly #page: SearchPage;
  readonly #loads: LatestLoad<ListQuery, RestServerPage>;
  #query: ListQuery;
  #found: RestServerPage | undefined;

  /** `query`: query of the result that the page shows already. `load`: sends a query to the service. */
  constructor(
    query: ListQuery,
    page: SearchPage,
    load: (query: ListQuery, signal: AbortSignal) => Promise<RestServerPage>,
  ) {
    this.#query = query;
    this.#page = page;
    this.#loads = new LatestLoad(load);
  }

  /** Shows the result of a new search, and returns it. Returns undefined if the search fails or a newer one begins. */
  async search(query: ListQuery): Promise<RestServerPage | undefined> {
    this.#page.setBusy(true);
    this.#page.setNotice('');
    let found: RestServerPage | undefined;
    try {
      found = await this.#loads.start(query);
    } catch {
      this.#page.setBusy(false);
      this.#page.setNotice(FAILED);
      return undefined;
    }
    // If a newer search has begun, the page stays busy until the newer search ends.
    if (!found) return undefined;
    this.#page.setBusy(false);
    this.#query = query;
    this.#found = found;
    this.show();
    return found;
  }

  /**
   * Updates the shown servers. `states`: newest states of servers, keyed by `keyOf`. `first`: returns the servers that
   * the page shows before the first search, or undefined if some of their states are not known yet.
   */
  addStates(
    states: ReadonlyMap<string, ShownServer | undefined>,
    first: () => RestServerPage | undefined,
  ): void {
    this.#found = this.#found
      ? { ...this.#found, servers: this.#found.servers.flatMap(server => newest(server, states)) }
      : first();
    this.show();
  }

  /** Draws the present result again, for example because further data of its servers is known. */
  show(): void {
    if (this.#found) this.#page.showResult(this.#query, this.#found);
  }
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
