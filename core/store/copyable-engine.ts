import type { Counted } from './counted-prefixes.ts';
import type { SetDigest } from './set-digest.ts';
import type { Operation, StorageEngine, StoredEntry } from './storage-engine.ts';

/**
 * A storage engine whose content can be copied to another one. The methods skip the entry with the engine's own state,
 * such as the version of its format.
 */
export interface CopyableEngine extends StorageEngine {
  /**
   * Yields all entries of the store once, in any order, in pieces of at most a few megabytes. Rejects with StoreDamage
   * or another error of the storage engine.
   */
  pieces(): AsyncGenerator<readonly StoredEntry[], undefined>;
  /** Returns the stored values of the entries with these keys. If an entry is not stored, its key is not in the map. */
  getMany(keys: readonly string[]): Promise<Map<string, Buffer>>;
}

/** A storage engine of one core, whose data can be moved to another engine while the core runs. */
export interface MovableEngine extends CopyableEngine {
  /**
   * Collects the keys of all entries that the engine writes between `start` and `stop`. `take` removes at most `limit`
   * of the collected keys and returns them. `count`: number of keys that `take` has not removed yet.
   */
  readonly written: { start(): void; stop(): void; take(limit: number): string[]; readonly count: number };
  /**
   * Yields the same entries as `CopyableEngine.pieces`, sorted by key. With `after`, yields only entries whose key is
   * greater than `after`.
   */
  pieces(after?: string): AsyncGenerator<readonly StoredEntry[], undefined>;
  /**
   * Writes like `commit`, but also while writes are paused (`pause`). Resolves when `operations` and all earlier
   * operations are durable. No key in `operations` may begin with a prefix in `COUNTED`, because this method does not
   * update the counts and checksums of these prefixes.
   */
  commitPaused(operations: readonly Operation[]): Promise<void>;
  /** Returns a copy of the digest (count and checksum) that the engine keeps for all entries with this key prefix. */
  digestOf(prefix: Counted): SetDigest;
}
