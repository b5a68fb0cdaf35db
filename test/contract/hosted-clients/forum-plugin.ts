import { FETCH, type Group } from '../rest.ts';
import { type ClientOptions, fetchRows } from './fetch-call.ts';
import type { ShownRow } from './shown-row.ts';

/** Stand-in for the forum plugin of the hosted service. The plugin sends no Accept-Encoding. */
export class ForumPlugin {
  /** Address of the hosted service in the code of the plugin. The plugin has no setting for this address. */
  static readonly API = 'https://api.hosted.example';
  readonly #api: string;
  readonly #options: ClientOptions;

  /** `api` is the address of the service in the code of the plugin. An operator changes it by editing this code. */
  constructor(options: ClientOptions, api = ForumPlugin.API) {
    this.#api = api;
    this.#options = options;
  }

  /** Fetches servers and returns the rows that the plugin shows. */
  show(servers: readonly Group[]): Promise<ShownRow[]> {
    return fetchRows(`${this.#api}${FETCH}`, this.#options, servers);
  }
}
