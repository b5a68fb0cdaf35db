import { join } from 'node:path';
import type { CopyableEngine } from './store/copyable-engine.ts';
import { LevelDbStore } from './store/leveldb/leveldb-store.ts';
import { refuseUnfinished } from './store/migration-marker.ts';
import type { OwnedStore, OwnedStoreOptions, StoreAloneOptions } from './store/redis/owned-store.ts';
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

/** Options of `openEngine`. All but the first two are for a store on Redis or Valkey. */
export interface EngineOptions extends Omit<OwnedStoreOptions, 'url'> {
  /** Value of GSQ_STORE: `EMBEDDED`, or the URL of a Redis or Valkey. */
  store: string;
  dataDirectory: string;
}

/** An opened storage engine. */
export interface OpenedEngine {
  engine: StorageEngine;
  /** The buckets of the store that this core owns. Undefined for the embedded store, which belongs to one core. */
  ownership: OwnedStore['ownership'] | undefined;
}

/**
 * Opens the storage engine that GSQ_STORE names. Only this function chooses the engine. If several cores use a store on
 * Redis or Valkey, this core owns no bucket of it until `ownership.start`. Rejects with StoreDamage if the store is
 * damaged, with NewerStore if a later release wrote it, with UnfinishedMigration if `gsq migrate` has not filled it
 * completely, or with an Error that says which store cannot be opened.
 */
export async function openEngine(options: EngineOptions): Promise<OpenedEngine> {
  const { store, dataDirectory, onFailure } = options;
  if (store === EMBEDDED) {
    const engine = await openEmbedded(storeDirectory(dataDirectory), onFailure);
    return closeUnfinished({ engine, ownership: undefined }, engine);
  }
  const { openOwnedStore } = await redisRoom();
  const { store: engine, ownership } = await openOwnedStore({ ...options, url: store });
  return closeUnfinished({ engine, ownership }, engine);
}

/** Opens a store on Redis or Valkey for `gsq migrate`. Rejects like `openStoreAlone`. */
export async function openDistributedAlone(options: StoreAloneOptions): Promise<CopyableEngine> {
  const { openStoreAlone } = await redisRoom();
  return openStoreAlone(options);
}

/** Returns an opened engine. If `gsq migrate` has not filled it completely, closes it and rejects. */
async function closeUnfinished(opened: OpenedEngine, engine: CopyableEngine): Promise<OpenedEngine> {
  try {
    await refuseUnfinished(engine);
    return opened;
  } catch (error) {
    await engine.close();
    throw error;
  }
}

/**
 * Loads the code of the store on Redis or Valkey. The client library of Redis is loaded only if it is needed, because
 * loading it makes the start of a core slower.
 */
function redisRoom(): Promise<typeof import('./store/redis/owned-store.ts')> {
  return import('./store/redis/owned-store.ts');
}
