import { join } from 'node:path';
import type { BackupCounts } from '../proto/codec/backup-lines.ts';
import { readTokenKey } from './access/token-key.ts';
import type { BackupSource } from './backup/backup.ts';
import { restoreBackup } from './backup/restore.ts';
import { readableData, verifyDigests } from './backup/stored-data.ts';
import { openEngine, storeDirectory } from './engine.ts';
import { openOfflineCopy } from './store/leveldb/offline-copy.ts';
import type { StorageEngine } from './store/storage-engine.ts';

/** Copy of the store of a data directory that no core uses. */
export interface OfflineStore {
  engine: StorageEngine;
  /** Descriptions of damage in the store, one line each. More lines are added while the data is read. */
  faults: string[];
  /** Reads the undamaged data of the store. A backup can be written from the result. */
  readBackup(now: () => number): Promise<BackupSource>;
  /** Closes the copy of the store and deletes it. */
  close(): Promise<void>;
}

/**
 * Copies the store of a data directory and opens the copy. If the store is damaged, the copy contains only the readable
 * data. Rejects with an Error if a core uses the store, or if no data can be read.
 */
export async function openOffline(dataDirectory: string): Promise<OfflineStore> {
  const copy = join(dataDirectory, `offline-copy-${process.pid}`);
  const { engine, damage, close } = await openOfflineCopy(storeDirectory(dataDirectory), copy, verifyDigests);
  const faults = damage === undefined ? [] : [damage];
  return {
    engine,
    faults,
    readBackup: now => readableData(engine, () => readTokenKey(dataDirectory), now, faults),
    close,
  };
}

/** Restores a backup into a data directory, with the storage engine of this release. */
export function restoreStore(
  path: string,
  dataDirectory: string,
  withoutCredentials = false,
): Promise<BackupCounts> {
  const openStore = (directory: string): Promise<StorageEngine> => openEngine(directory, () => {});
  return restoreBackup(path, { dataDirectory, storeDirectory, openStore }, withoutCredentials);
}
