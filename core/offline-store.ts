import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BackupCounts } from '../proto/codec/backup-lines.ts';
import { ConfigError } from '../runtime/config.ts';
import { readCheckedTokenKey } from './access/token-key.ts';
import type { BackupSource } from './backup/backup.ts';
import { restoreBackup } from './backup/restore.ts';
import { readableData } from './backup/stored-data.ts';
import { openEmbedded, storeDirectory } from './engine.ts';
import type { CopyableEngine } from './store/copyable-engine.ts';
import { openOfflineCopy } from './store/leveldb/offline-copy.ts';
import { refuseUnfinished } from './store/migration-marker.ts';
import type { StorageEngine } from './store/storage-engine.ts';
import { StoreDamage } from './store/store-damage.ts';
import { verifyData } from './verify-data.ts';

/** A copy of the store of a data directory. No core uses this copy. */
export interface OfflineStore {
  engine: CopyableEngine;
  /** Descriptions of damage in the store, one line each. More lines are added while the data is read. */
  faults: string[];
  /** Descriptions of the faults of `token.key` and `credentials.key`, one line each. */
  keyFaults: readonly string[];
  /** Reads the undamaged data of the store. A backup can be written from the result. */
  readBackup(now: () => number): Promise<BackupSource>;
  /**
   * Checks that no core uses the original store, and that no core has changed it since it was copied. Rejects with an
   * Error if one of the two is not true.
   */
  checkUnchanged(): Promise<void>;
  /** Closes the copy of the store and deletes it. */
  close(): Promise<void>;
}

/**
 * Creates an empty directory for a copy of the store. The directory is inside the data directory, because a copied file
 * can share its disk blocks with the original only within one file system. If the data directory is not writable, the
 * new directory is in the system's directory for temporary files.
 */
export function makeCopyDirectory(dataDirectory: string): string {
  const name = 'offline-copy-';
  try {
    return mkdtempSync(join(dataDirectory, name));
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code !== 'EROFS' && code !== 'EACCES') throw error;
    return mkdtempSync(join(tmpdir(), `gsq-${name}`));
  }
}

/** Returns the token key of a data directory; undefined if it is missing or is not the key of the stored tokens. */
async function usableTokenKey(engine: StorageEngine, dataDirectory: string): Promise<Buffer | undefined> {
  try {
    return (await readCheckedTokenKey(engine, dataDirectory, 1)).key;
  } catch (error) {
    if (error instanceof ConfigError || error instanceof StoreDamage) return undefined;
    throw error;
  }
}

/**
 * Copies the store of a data directory to the directory `copy`, and opens the copy. Damaged data is missing from the
 * opened copy. Rejects with UnfinishedMigration if a migration has not filled the store completely. Rejects with
 * another Error if a core uses the store, or if no data is readable.
 */
export async function openOffline(
  dataDirectory: string,
  copy = makeCopyDirectory(dataDirectory),
): Promise<OfflineStore> {
  let keyFaults: string[] = [];
  const { engine, damage, checkUnchanged, close } = await openOfflineCopy(
    storeDirectory(dataDirectory),
    copy,
    async opened => {
      await refuseUnfinished(opened);
      keyFaults = await verifyData(opened, dataDirectory);
    },
  );
  const faults = damage === undefined ? [] : [damage];
  return {
    engine,
    faults,
    keyFaults,
    async readBackup(now) {
      const tokenKey = await usableTokenKey(engine, dataDirectory);
      return readableData(engine, () => tokenKey, now, faults);
    },
    checkUnchanged,
    close,
  };
}

/** Restores a backup into a data directory, with the storage engine of this release. */
export function restoreStore(
  path: string,
  dataDirectory: string,
  withoutCredentials = false,
): Promise<BackupCounts> {
  const openStore = (directory: string): Promise<StorageEngine> => openEmbedded(directory, () => {});
  return restoreBackup(path, { dataDirectory, storeDirectory, openStore }, withoutCredentials);
}
