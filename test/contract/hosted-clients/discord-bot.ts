import { hearHttp } from '../../system/hearing.ts';
import { type Credentials, credentialHeaders, type Group } from '../rest.ts';
import { FetchRefused } from './fetch-call.ts';
import { rowsOf, type ShownRow } from './shown-row.ts';

/**
 * Simulates the Discord bot of a hosted service. gsq has the same REST API as this service, so the bot must also work
 * with gsq. The bot appends the whole path, including `/v1`, to its base address.
 */
export class DiscordBot {
  readonly #base: string;
  readonly #credentials: Credentials;

  /** `base`: base address of the REST API, as the operator sets it in the Discord bot. */
  constructor(base: string, credentials: Credentials) {
    this.#base = base;
    this.#credentials = credentials;
  }

  /** Fetches servers, and returns the rows that the Discord bot shows, one for each server. */
  async show(servers: readonly Group[]): Promise<ShownRow[]> {
    const response = await fetch(`${this.#base}/v1/post/fetch`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...credentialHeaders(this.#credentials) },
      body: JSON.stringify({ servers }),
    });
    const text = await response.text();
    hearHttp(response.status, Object.fromEntries(response.headers), text);
    const answer = JSON.parse(text) as Record<string, unknown>;
    if (response.status !== 200) throw new FetchRefused(response.status, answer);
    return rowsOf(answer);
  }
}
