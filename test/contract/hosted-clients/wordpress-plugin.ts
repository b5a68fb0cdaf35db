import { FETCH, type Group } from '../rest.ts';
import { type ClientOptions, fetchRows } from './fetch-call.ts';
import type { ShownRow } from './shown-row.ts';

/** Hosts that the WordPress plugin does not accept in its setting for the address of the REST API. */
const REFUSED_HOSTS = ['127.0.0.1', 'localhost'];
/** The server that the WordPress plugin requests to check its settings. Only the HTTP status of this request counts. */
const BOOT_CHECK: Group = { game_id: 'csgo', servers: ['127.0.0.1:27015'] };

/**
 * Stand-in for a WordPress plugin that shows game servers. The real plugin was written for a hosted service with the
 * same REST API as gsq.
 */
export class WordPressPlugin {
  readonly #url: string;
  readonly #options: ClientOptions;

  /**
   * `api`: address of the REST API, as the operator enters it in the settings of the WordPress plugin. Throws if the
   * plugin does not accept the address.
   */
  constructor(api: string, options: ClientOptions) {
    const { hostname } = new URL(api);
    if (REFUSED_HOSTS.includes(hostname)) throw new Error(`${hostname} is not allowed as the API address`);
    this.#url = new URL(FETCH, api).href;
    this.#options = options;
  }

  /**
   * Checks the settings as the WordPress plugin does when it starts: fetches one server from the REST API. Rejects with
   * FetchRefused if the HTTP status is not 200.
   */
  async checkSettings(): Promise<void> {
    await this.show([BOOT_CHECK]);
  }

  /** Fetches servers, and returns the rows that the WordPress plugin shows, one for each server. */
  show(servers: readonly Group[]): Promise<ShownRow[]> {
    return fetchRows(this.#url, this.#options, servers, 'deflate, gzip');
  }
}
