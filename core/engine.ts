import { join } from 'node:path';
import type { Logger } from '../runtime/log.ts';
import type { CopyableEngine } from './store/copyable-engine.ts';
import { LevelDbStore } from './store/leveldb/leveldb-store.ts';
import { refuseUnfinished } from './store/migration-marker.ts';
import type { OwnedStoreOptions } from './store/redis/owned-store.ts';
import type { StorageEngine } from './store/storage-engine.ts';

/** Value of GSQ_STORE for the embedded store, which is a LevelDB directory inside the data directory. */
export const EMBEDDED = 'leveldb';

/** Returns the path of the embedded store inside a data directory. */
export function storeDirectory(dataDirectory: string): string {
  return join(dataDirectory, 'leveldb');
}

/**
 * Opens the embedded store in a directory, or creates it. Rejects with StoreDamage if the store is damaged, with
 * NewerStore if a later release wrote it, or with an Error that contains the directory. `onFailure` is called with the
 * first write error of the store.
 */
export function openEmbedded(directory: string, onFailure: (error: Error) => void): Promise<CopyableEngine> {
  return LevelDbStore.open(directory, onFailure);
}

/** Options of `openEngine`. */
export interface EngineOptions {
  /** Value of GSQ_STORE: `EMBEDDED`, or the URL of a Redis or Valkey. */
  store: string;
  dataDirectory: string;
  log: Logger;
  /** Called once if another core owns the store, so that this core waits. `owner`: id of the other core. */
  onStandby(owner: string): void;
  /** Called with the first write error of the storage engine after it was opened, and after each recovery. */
  onFailure(error: Error): void;
  /** Called once if another core has become the owner of the store. The process must end. */
  onLost(error: Error): void;
}

/**
 * Opens the storage engine that GSQ_STORE names. Only this function chooses the engine. A store on Redis or Valkey has
 * one owner, so the promise stays pending until this core is the owner. Rejects with StoreDamage if the store is
 * damaged, with NewerStore if a later release wrote it, with UnfinishedMigration if `gsq migrate` has not filled it
 * completely, or with an Error that says which store cannot be opened.
 */
export async function openEngine(options: EngineOptions): Promise<StorageEngine> {
  const { store, dataDirectory, onFailure } = options;
  const engine =
    store === EMBEDDED
      ? await openEmbedded(storeDirectory(dataDirectory), onFailure)
      : await openDistributed({ ...options, url: store });
  try {
    await refuseUnfinished(engine);
    return engine;
  } catch (error) {
    await engine.close();
    throw error;
  }
}

/**
 * Waits until this process owns the store on a Redis or Valkey, and opens the store. `gsq migrate` also becomes the
 * owner. Rejects like `openOwnedStore`.
 */
export async function openDistributed(options: OwnedStoreOptions): Promise<CopyableEngine> {
  // The client library of Redis is loaded only if it is needed, because loading it makes the start of a core slower.
  const { openOwnedStore } = await import('./store/redis/owned-store.ts');
  return openOwnedStore(options);
}
