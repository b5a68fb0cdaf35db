import type { StorageEngine, StoredEntry } from './storage-engine.ts';

/**
 * A storage engine whose whole content can be copied into another one. The methods leave out the entry in which each
 * storage engine keeps its own state, such as the version of its format.
 */
export interface CopyableEngine extends StorageEngine {
  /**
   * Yields all entries of the store in pieces of at most a few megabytes. A key is in only one piece; the order of the
   * keys depends on the storage engine. Rejects with StoreDamage or another error of the storage engine.
   */
  pieces(): AsyncGenerator<readonly StoredEntry[], undefined>;
  /** Returns the stored values of the entries with these keys. If an entry is not stored, its key is not in the map. */
  getMany(keys: readonly string[]): Promise<Map<string, Buffer>>;
}
