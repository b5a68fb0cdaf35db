import type { RestServerPage } from '../../../../client/rest-types.generated.ts';
import type { ShownServer } from '../../views/shown-server.ts';

/**
 * The search results (servers) that the page `/` already shows when its script starts. The first snapshot of the event
 * stream contains the data of these servers, so the script needs no second search.
 */
export class ShownResults {
  /** Keys (`keyOf`) of the servers that the page shows. */
  readonly keys: readonly string[];
  readonly #states = new Map<string, ShownServer | undefined>();
  readonly #results: HTMLElement;

  constructor(results: HTMLElement) {
    this.#results = results;
    this.keys = [...results.querySelectorAll<HTMLElement>('[data-server]')].flatMap(
      ({ dataset }) => dataset.server ?? [],
    );
  }

  /**
   * Adds the states of servers from the snapshot of the event stream. If the states of all shown servers are then
   * known, returns these servers as a page of search results. Otherwise returns undefined: the stream sends more
   * states.
   */
  addStates(states: ReadonlyMap<string, ShownServer | undefined>): RestServerPage | undefined {
    for (const [key, state] of states) this.#states.set(key, state);
    if (!this.keys.every(key => this.#states.has(key))) return undefined;
    const { total, next } = this.#results.dataset;
    return {
      servers: this.keys.flatMap(key => this.#states.get(key) ?? []),
      total_size: Number(total),
      next_page_token: next ?? '',
    };
  }
}
