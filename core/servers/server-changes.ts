import type { ServerRecord } from './server-record.ts';

type Listener = (server: ServerRecord) => void;

/** Tells whoever follows a server of each new record of it. */
export class ServerChanges {
  readonly #listeners = new Map<string, Set<Listener>>();

  /** Follows the servers of these keys until the returned function is called. */
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

  publish(server: ServerRecord): void {
    // Mostly nobody listens, and a key that is looked up has to be hashed first.
    if (this.#listeners.size === 0) return;
    const listeners = this.#listeners.get(server.key);
    if (listeners) for (const listener of listeners) listener(server);
  }
}
