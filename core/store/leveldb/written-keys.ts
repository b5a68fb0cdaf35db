import { STATE_KEY } from './store-state.ts';

/**
 * Collects the keys that a store writes or deletes between `start` and `stop`, each key once. A migration copies these
 * entries again. Leaves out the entry with the store's own state.
 */
export class WrittenKeys {
  #keys: Set<string> | undefined;

  /** Begins to collect the keys of the entries that the store writes or deletes. */
  start(): void {
    this.#keys = new Set();
  }

  /** Stops collecting the keys of entries that the store writes or deletes, and drops all collected keys. */
  stop(): void {
    this.#keys = undefined;
  }

  /**
   * Adds the keys of written entries to the collection, so that the migration copies the new values. Call this method
   * only after the values are written. Otherwise the migration could copy the old values.
   */
  note(operations: readonly { key: string }[]): void {
    if (!this.#keys) return;
    for (const { key } of operations) if (key !== STATE_KEY) this.#keys.add(key);
  }

  /** Returns at most `limit` of the collected keys, and removes these from the collection. */
  take(limit: number): string[] {
    const taken: string[] = [];
    for (const key of this.#keys ?? []) {
      if (taken.length === limit) break;
      taken.push(key);
      this.#keys?.delete(key);
    }
    return taken;
  }

  /** Number of collected keys that `take` has not returned yet. */
  get count(): number {
    return this.#keys?.size ?? 0;
  }
}
