import type { ShownServer } from '../../views/shown-server.ts';

/** An entry of a snapshot, or the data of a change. `tracked` is false if the server was removed. */
type Entry = ShownServer & { tracked?: false };

/** Called with servers whose state is new. A server that is no longer tracked has no state. */
type OnServers = (servers: ReadonlyMap<string, ShownServer | undefined>) => void;

/** Returns the name of a server in the parameter `server` of `GET /v1/events`. */
export function keyOf({ game_id: gameId, server }: Pick<ShownServer, 'game_id' | 'server'>): string {
  return `${gameId}/${server}`;
}

/**
 * Follows some servers by server-sent events (`GET /v1/events`). While the tab is hidden, the stream is closed, because
 * a browser keeps few connections to a host. When the tab is shown again, a new stream begins with a snapshot.
 */
export class LiveServers {
  readonly #onServers: OnServers;
  #keys: readonly string[] = [];
  #source: EventSource | undefined;

  constructor(onServers: OnServers) {
    this.#onServers = onServers;
    document.addEventListener('visibilitychange', () => this.#connect());
  }

  /** Follows these servers (`keyOf`) instead of the previous ones. */
  follow(keys: readonly string[]): void {
    if (keys.join() === this.#keys.join()) return;
    this.#keys = keys;
    this.#connect();
  }

  #connect(): void {
    this.#source?.close();
    this.#source = undefined;
    if (document.hidden || this.#keys.length === 0) return;
    const query = new URLSearchParams(this.#keys.map(key => ['server', key]));
    const source = new EventSource(`/v1/events?${query}`);
    this.#source = source;
    source.addEventListener('snapshot', ({ data }) => this.#receive(JSON.parse(data).servers));
    source.addEventListener('change', ({ data }) => this.#receive([JSON.parse(data)]));
  }

  #receive(entries: readonly Entry[]): void {
    this.#onServers(
      new Map(entries.map(entry => [keyOf(entry), entry.tracked === false ? undefined : entry])),
    );
  }
}
