import { FETCH, type Group } from '../rest.ts';
import { type ClientOptions, fetchRows } from './fetch-call.ts';
import type { ShownRow } from './shown-row.ts';

/** Hosts that the plugin does not accept in the address of the API. */
const REFUSED_HOSTS = ['127.0.0.1', 'localhost'];
/** The server that the plugin requests to check its settings. Only the HTTP status of this request counts. */
const BOOT_CHECK: Group = { game_id: 'csgo', servers: ['127.0.0.1:27015'] };

/** Stand-in for the WordPress plugin of the hosted service. */
export class WordPressPlugin {
  readonly #url: string;
  readonly #options: ClientOptions;

  /** `api` is the address of the API that the operator enters. Throws if the plugin does not accept the address. */
  constructor(api: string, options: ClientOptions) {
    const { hostname } = new URL(api);
    if (REFUSED_HOSTS.includes(hostname)) throw new Error(`${hostname} is not allowed as the API address`);
    this.#url = new URL(FETCH, api).href;
    this.#options = options;
  }

  /** Checks the settings as the plugin does when it starts. Rejects with FetchRefused if the status is not 200. */
  async checkSettings(): Promise<void> {
    await this.show([BOOT_CHECK]);
  }

  /** Fetches servers and returns the rows that the plugin shows. */
  show(servers: readonly Group[]): Promise<ShownRow[]> {
    return fetchRows(this.#url, this.#options, servers, 'deflate, gzip');
  }
}
