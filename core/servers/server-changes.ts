import type { ServerRecord } from './server-record.ts';

type Listener = (server: ServerRecord) => void;

/** Passes new records of servers to the subscribers of these servers. */
export class ServerChanges {
  readonly #listeners = new Map<string, Set<Listener>>();

  /** Calls `listener` with each new record of these servers, until the returned function is called. */
  follow(keys: readonly string[], listener: Listener): () => void {
    for (const key of keys) {
      const listeners = this.#listeners.get(key);
      if (listeners) listeners.add(listener);
      else this.#listeners.set(key, new Set([listener]));
    }
    return () => {
      for (const key of keys) {
        const listeners = this.#listeners.get(key);
        if (listeners?.delete(listener) && listeners.size === 0) this.#listeners.delete(key);
      }
    };
  }

  /** Passes a new record to the subscribers of its server. */
  publish(server: ServerRecord): void {
    // Returns early if nobody subscribes to changes, which is the usual case: hashing the server key would cost time.
    if (this.#listeners.size === 0) return;
    const listeners = this.#listeners.get(server.key);
    if (listeners) for (const listener of listeners) listener(server);
  }
}
