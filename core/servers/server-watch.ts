import type { ServerChanges } from './server-changes.ts';
import type { ServerRecord } from './server-record.ts';

/** Follows servers for a reader that may be slow: it skips states, never servers, and holds one record a server. */
export class ServerWatch {
  readonly #changed = new Map<string, ServerRecord>();
  readonly #unfollow: () => void;
  #wake: (() => void) | undefined;
  #closed = false;

  constructor(changes: ServerChanges, keys: readonly string[]) {
    this.#unfollow = changes.follow(keys, server => {
      this.#changed.set(server.key, server);
      this.#wake?.();
    });
  }

  /** The newest record of every server that changed since the last call; waits for one. Empty once closed. */
  async next(): Promise<ServerRecord[]> {
    while (this.#changed.size === 0 && !this.#closed) {
      await new Promise<void>(resolve => {
        this.#wake = resolve;
      });
    }
    const records = [...this.#changed.values()];
    this.#changed.clear();
    return this.#closed ? [] : records;
  }

  close(): void {
    this.#closed = true;
    this.#unfollow();
    this.#wake?.();
  }
}
