import type { RestClient } from '../../../../client/rest-client.ts';
import type { ShownServer } from '../../views/shown-server.ts';
import type { Players } from '../../views/sparkline.ts';
import { keyOf } from './live-servers.ts';

/** Maximum number of servers in a request for trends (the numbers of players in the last 24 hours). */
const MOST = 100;

/**
 * Loads and keeps the trends of the shown servers: their numbers of players in the last 24 hours. Loads each trend
 * only once.
 */
export class Trends {
  /** The numbers of players of each server in the last 24 hours, keyed by game id, slash and address (`keyOf`). */
  readonly players = new Map<string, Players>();
  readonly #client: RestClient;

  constructor(client: RestClient) {
    this.#client = client;
  }

  /**
   * Loads the trends (numbers of players) of those `servers` whose trends are not loaded yet. One call loads the trends
   * of up to `MOST` servers. Resolves to true if gsq answered.
   */
  async load(servers: readonly Pick<ShownServer, 'game_id' | 'server'>[]): Promise<boolean> {
    const missing = servers.filter(server => !this.players.has(keyOf(server))).slice(0, MOST);
    if (missing.length === 0) return false;
    try {
      const { trends } = await this.#client.trends(missing);
      for (const trend of trends) this.players.set(keyOf(trend), trend.players);
      return true;
    } catch {
      // Ignores that the trends could not be loaded: the card of a server is usable without its trend.
      return false;
    }
  }
}
