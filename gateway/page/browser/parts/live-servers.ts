import {
  RestClient,
  type RestServerRef,
  type UntrackedServer,
  type WatchEvent,
} from '../../../../client/rest-client.ts';
import type { ShownServer } from '../../views/shown-server.ts';

/**
 * Called with the new states of servers, keyed by `keyOf`. A server that is no longer tracked has the state undefined.
 */
type OnServers = (servers: ReadonlyMap<string, ShownServer | undefined>) => void;

/**
 * Interval at which an open page replaces its event stream, ms. Time alone can change a status, for example to
 * `pending`. No event reports such a change (docs/rest.md), only the snapshot at the beginning of a stream.
 */
const RECONNECT_MS = 5 * 60_000;

/** The browser tab of the page, usually `document`. */
interface Tab {
  readonly hidden: boolean;
  addEventListener(type: 'visibilitychange', listener: () => void): void;
}

/** Dependencies of `LiveServers`. Tests replace all of them. */
interface LiveOptions {
  tab: Tab;
  /** Opens an event stream, which begins with a snapshot. Throws an error if the service refuses the stream. */
  watch?: (servers: readonly RestServerRef[], signal: AbortSignal) => AsyncIterable<WatchEvent>;
  /** Calls a function once after a time. Returns a function that cancels the call. */
  after?: (ms: number, callback: () => void) => () => void;
}

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
 * snapshot. In a visible tab, a new stream replaces the old one every RECONNECT_MS. So the updates also start again
 * after the service has refused a stream.
 */
export class LiveServers {
  readonly #onServers: OnServers;
  readonly #tab: Tab;
  readonly #watch: NonNullable<LiveOptions['watch']>;
  readonly #after: NonNullable<LiveOptions['after']>;
  #keys: readonly string[] = [];
  #closing: AbortController | undefined;
  #stopTimer: (() => void) | undefined;

  constructor(onServers: OnServers, { tab, watch = watchService, after = later }: LiveOptions) {
    this.#onServers = onServers;
    this.#tab = tab;
    this.#watch = watch;
    this.#after = after;
    tab.addEventListener('visibilitychange', () => this.#connect());
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
    this.#stopTimer?.();
    this.#stopTimer = undefined;
    if (this.#tab.hidden || this.#keys.length === 0) return;
    this.#closing = new AbortController();
    const servers = this.#keys.map(refOf);
    // Ignores the error if the service refuses the event stream. Until the next attempt, the page shows the servers
    // without updates.
    this.#receive(servers, this.#closing.signal).catch(() => {});
    this.#stopTimer = this.#after(RECONNECT_MS, () => this.#connect());
  }

  async #receive(servers: readonly RestServerRef[], signal: AbortSignal): Promise<void> {
    for await (const event of this.#watch(servers, signal)) {
      // Ignores events that a closed stream still returns, because the snapshot of the next stream is newer.
      if (signal.aborted) return;
      this.#tell(event.type === 'snapshot' ? event.servers : [event.server]);
    }
  }

  #tell(entries: readonly (ShownServer | UntrackedServer)[]): void {
    this.#onServers(new Map(entries.map(entry => [keyOf(entry), 'tracked' in entry ? undefined : entry])));
  }
}

const client = new RestClient({ baseUrl: '', maxRetryAfterSeconds: 60 });

function watchService(servers: readonly RestServerRef[], signal: AbortSignal): AsyncIterable<WatchEvent> {
  return client.watch({ servers }, { signal });
}

function later(ms: number, callback: () => void): () => void {
  const timer = setTimeout(callback, ms);
  return () => clearTimeout(timer);
}

/** Splits a key of `keyOf` into the id of the game and the address of the server. */
export function refOf(key: string): RestServerRef {
  const slash = key.indexOf('/');
  return { game_id: key.slice(0, slash), server: key.slice(slash + 1) };
}
