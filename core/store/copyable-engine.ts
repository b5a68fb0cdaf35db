import type { StorageEngine, StoredEntry } from './storage-engine.ts';

/**
 * A storage engine whose whole content can be copied into another one. The methods leave out the state entry, which
 * each engine keeps for itself.
 */
export interface CopyableEngine extends StorageEngine {
  /**
   * Yields all entries in pieces of at most a few megabytes. A key is in only one piece; the order of the keys depends
   * on the engine. Rejects with StoreDamage or an Error of the engine.
   */
  pieces(): AsyncGenerator<readonly StoredEntry[], undefined>;
  /** Returns the stored values of some keys. A key that is not stored is not in the map. */
  getMany(keys: readonly string[]): Promise<Map<string, Buffer>>;
}
