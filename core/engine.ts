import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { CopyableEngine, MovableEngine } from './store/copyable-engine.ts';
import { DirectoryLock } from './store/leveldb/directory-lock.ts';
import { LevelDbStore } from './store/leveldb/leveldb-store.ts';
import { refuseMarked } from './store/migration-marker.ts';
import type {
  MigratedStore,
  OwnedStore,
  OwnedStoreOptions,
  StoreAloneOptions,
} from './store/redis/owned-store.ts';
import type { StorageEngine } from './store/storage-engine.ts';

/** Value of GSQ_STORE for the embedded store, which is a LevelDB directory inside the data directory. */
export const EMBEDDED = 'leveldb';

/** Returns the path of the embedded store inside a data directory. */
export function storeDirectory(dataDirectory: string): string {
  return join(dataDirectory, 'leveldb');
}

/**
 * Opens the embedded store in a directory, or creates it. Rejects with StoreDamage, with NewerStore (a later release
 * wrote the store), or with an Error that contains the directory. Calls `onFailure` with the first write error.
 */
export function openEmbedded(directory: string, onFailure: (error: Error) => void): Promise<MovableEngine> {
  return LevelDbStore.open(directory, onFailure);
}

/** Returns an id of the embedded store in a data directory: the device and inode number of its lock file. */
export function lockFileOf(dataDirectory: string): string {
  const { dev, ino } = statSync(join(storeDirectory(dataDirectory), 'LOCK'), { bigint: true });
  return `${dev}-${ino}`;
}

/** Options of `openEngine`. The embedded store uses only `store`, `dataDirectory` and `onFailure`. */
export interface EngineOptions extends Omit<OwnedStoreOptions, 'url' | 'lock'> {
  /** Value of GSQ_STORE: `EMBEDDED`, or the URL of a Redis or Valkey. */
  store: string;
  dataDirectory: string;
}

/** An opened storage engine: the embedded store, or a store on Redis or Valkey. */
export interface OpenedEngine {
  engine: StorageEngine;
  /**
   * The buckets of entries that this core owns in the store. Undefined for the embedded store, which belongs to one
   * core.
   */
  ownership: OwnedStore['ownership'] | undefined;
  /**
   * The part of a store on Redis or Valkey that contains the history. Undefined for the embedded store, because its
   * history is in a separate directory.
   */
  blobs: OwnedStore['blobs'] | undefined;
  /**
   * The embedded store, whose data a running core can hand over to `gsq migrate`. Undefined for a store on Redis or
   * Valkey.
   */
  movable: MovableEngine | undefined;
}

/**
 * Opens the storage engine that GSQ_STORE names. With Redis or Valkey, this core owns no servers until
 * `ownership.start`.
 *
 * Rejects with StoreDamage, NewerStore (a later release wrote the store), UnfinishedMigration or StoreMoved. For other
 * faults, rejects with an Error that says which store cannot be opened.
 */
export async function openEngine(options: EngineOptions): Promise<OpenedEngine> {
  const { store, dataDirectory, onFailure } = options;
  if (store === EMBEDDED) {
    const engine = await openEmbedded(storeDirectory(dataDirectory), onFailure);
    return closeMarked({ engine, ownership: undefined, blobs: undefined, movable: engine }, engine);
  }
  const { openOwnedStore } = await redisRoom();
  const lock = (id: string) => DirectoryLock.take(dataDirectory, id, options.log);
  const { store: engine, ownership, blobs } = await openOwnedStore({ ...options, url: store, lock });
  return closeMarked({ engine, ownership, blobs, movable: undefined }, engine);
}

/**
 * Opens a store on Redis or Valkey for `gsq migrate`. Rejects with OwnedElsewhere if other processes still use the
 * store after `options.patience()` ms. For other errors, see `openStoreAlone`.
 */
export async function openDistributedAlone(options: StoreAloneOptions): Promise<MigratedStore> {
  const { openStoreAlone } = await redisRoom();
  return openStoreAlone(options);
}

/**
 * Opens a store on Redis or Valkey for reading while cores use it. The result contains `hold`, which can stop the
 * writes of the cores. For errors, see `openStoreShared`.
 */
export async function openDistributedShared(
  options: Pick<StoreAloneOptions, 'url' | 'log' | 'program'>,
): ReturnType<typeof import('./store/redis/owned-store.ts').openStoreShared> {
  const { openStoreShared } = await redisRoom();
  return openStoreShared(options);
}

/**
 * Checks whether a marker of `gsq migrate` forbids cores to use this storage engine, which was just opened. If it does,
 * closes the engine and rejects. Otherwise resolves to `opened`.
 */
async function closeMarked(opened: OpenedEngine, engine: CopyableEngine): Promise<OpenedEngine> {
  try {
    await refuseMarked(engine);
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
