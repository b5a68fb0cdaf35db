import { RestClient, type RestServerRef, type UntrackedServer } from '../../../../client/rest-client.ts';
import type { ShownServer } from '../../views/shown-server.ts';

/**
 * Called with the new states of servers, keyed by `keyOf`. A server that is no longer tracked has the state undefined.
 */
type OnServers = (servers: ReadonlyMap<string, ShownServer | undefined>) => void;

/**
 * Returns the key of a server: game id, slash and address. The query parameter `server` of `GET /v1/events` takes such
 * keys.
 */
export function keyOf({ game_id: gameId, server }: RestServerRef): string {
  return `${gameId}/${server}`;
}

/**
 * Keeps the state of some servers up to date with an event stream. While the tab is hidden, the stream is closed,
 * because a browser opens only few connections to one host. When the tab is visible again, a new stream begins with a
 * snapshot.
 */
export class LiveServers {
  readonly #onServers: OnServers;
  readonly #client = new RestClient({ baseUrl: '', maxRetryAfterSeconds: 60 });
  #keys: readonly string[] = [];
  #closing: AbortController | undefined;

  constructor(onServers: OnServers) {
    this.#onServers = onServers;
    document.addEventListener('visibilitychange', () => this.#connect());
  }

  /** Follows the servers with these keys (`keyOf`) instead of the previous servers. */
  follow(keys: readonly string[]): void {
    if (keys.join() === this.#keys.join()) return;
    this.#keys = keys;
    this.#connect();
  }

  #connect(): void {
    this.#closing?.abort();
    this.#closing = undefined;
    if (document.hidden || this.#keys.length === 0) return;
    this.#closing = new AbortController();
    const servers = this.#keys.map(refOf);
    // Ignores the error if the service refuses the event stream. The page then still shows the servers, but no longer
    // updates them.
    this.#receive(servers, this.#closing.signal).catch(() => {});
  }

  async #receive(servers: readonly RestServerRef[], signal: AbortSignal): Promise<void> {
    for await (const event of this.#client.watch({ servers }, { signal }))
      this.#tell(event.type === 'snapshot' ? event.servers : [event.server]);
  }

  #tell(entries: readonly (ShownServer | UntrackedServer)[]): void {
    this.#onServers(new Map(entries.map(entry => [keyOf(entry), 'tracked' in entry ? undefined : entry])));
  }
}

/** Splits a key of `keyOf` into the id of the game and the address of the server. */
export function refOf(key: string): RestServerRef {
  const slash = key.indexOf('/');
  return { game_id: key.slice(0, slash), server: key.slice(slash + 1) };
}
