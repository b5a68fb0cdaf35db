import type { ServerChanges } from './server-changes.ts';
import type { ServerRecord } from './server-record.ts';

/**
 * Collects changes of servers for a slow reader. Keeps only the newest record of each server, so the reader can miss
 * older records but never the newest.
 */
export class ServerWatch {
  readonly #changed = new Map<string, ServerRecord>();
  readonly #unfollow: () => void;
  #wake: (() => void) | undefined;
  #closed = false;

  constructor(changes: Pick<ServerChanges, 'follow'>, keys: readonly string[]) {
    this.#unfollow = changes.follow(keys, server => {
      this.#changed.set(server.key, server);
      this.#wake?.();
    });
  }

  /**
   * Returns the newest record of every server that changed since the previous call. Waits until at least one server
   * has changed. Returns an empty list after `close`.
   */
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
