import { join } from 'node:path';
import type { BackupCounts } from '../proto/codec/backup-lines.ts';
import { readTokenKey } from './access/token-key.ts';
import type { BackupSource } from './backup/backup.ts';
import { restoreBackup } from './backup/restore.ts';
import { readableData, verifyDigests } from './backup/stored-data.ts';
import { openEngine, storeDirectory } from './engine.ts';
import { openOfflineCopy } from './store/leveldb/offline-copy.ts';
import type { StorageEngine } from './store/storage-engine.ts';

/** A copy of the store of a data directory that no core uses. */
export interface OfflineStore {
  engine: StorageEngine;
  /** What is wrong with the store, one line each; reading adds more. */
  faults: string[];
  /** What of the store is whole, as a backup is made of it. */
  readBackup(now: () => number): Promise<BackupSource>;
  /** Closes and deletes the copy. */
  close(): Promise<void>;
}

/**
 * Copies and opens the store of a data directory; if it is damaged, what can be read of it. Rejects if a core uses it, or
 * if nothing can be read.
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

/** Restores a backup to a data directory: `restoreBackup` on the engine of this release. */
export function restoreStore(
  path: string,
  dataDirectory: string,
  withoutCredentials = false,
): Promise<BackupCounts> {
  const openStore = (directory: string): Promise<StorageEngine> => openEngine(directory, () => {});
  return restoreBackup(path, { dataDirectory, storeDirectory, openStore }, withoutCredentials);
}
