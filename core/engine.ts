import { join } from 'node:path';
import { LevelDbStore } from './store/leveldb/leveldb-store.ts';
import type { StorageEngine } from './store/storage-engine.ts';

/** Returns the path of the store inside a data directory. */
export function storeDirectory(dataDirectory: string): string {
  return join(dataDirectory, 'leveldb');
}

/**
 * Opens the store in a directory, or creates it. Only this function chooses the storage engine. Rejects with
 * StoreDamage if the store is damaged, with NewerStore if a later release wrote it, or with an Error that contains the
 * directory. `onFailure` is called with the first write error.
 */
export function openEngine(directory: string, onFailure: (error: Error) => void): Promise<StorageEngine> {
  return LevelDbStore.open(directory, onFailure);
}
