import { join } from 'node:path';
import { LevelDbStore } from './store/leveldb/leveldb-store.ts';
import type { StorageEngine } from './store/storage-engine.ts';

/** Where the store of a data directory is. */
export function storeDirectory(dataDirectory: string): string {
  return join(dataDirectory, 'leveldb');
}

/**
 * Opens or creates the store in a directory: the one place that chooses the storage engine. Rejects with StoreDamage,
 * NewerStore, or an Error that names the directory. `onFailure` is called with the first write error.
 */
export function openEngine(directory: string, onFailure: (error: Error) => void): Promise<StorageEngine> {
  return LevelDbStore.open(directory, onFailure);
}
