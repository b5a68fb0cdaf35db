import { FETCH, type Group } from '../rest.ts';
import { type ClientOptions, fetchRows } from './fetch-call.ts';
import type { ShownRow } from './shown-row.ts';

/**
 * Imitates a certain forum plugin: sends the same requests, without the header Accept-Encoding. The plugin was written
 * for a hosted service. The plugin can use gsq instead, because gsq has the same REST API as this service.
 */
export class ForumPlugin {
  /** Hard-coded API address in the forum plugin: the address of a hosted service with the same REST API as gsq. */
  static readonly API = 'https://api.hosted.example';
  readonly #api: string;
  readonly #options: ClientOptions;

  /** `api`: address of the REST API in the code of the forum plugin. An operator changes it by editing this code. */
  constructor(options: ClientOptions, api = ForumPlugin.API) {
    this.#api = api;
    this.#options = options;
  }

  /** Fetches servers, and returns the rows that the forum plugin shows, one for each server. */
  show(servers: readonly Group[]): Promise<ShownRow[]> {
    return fetchRows(`${this.#api}${FETCH}`, this.#options, servers);
  }
}
