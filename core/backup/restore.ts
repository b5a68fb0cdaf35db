import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { type BackupCounts, BackupError } from '../../proto/codec/backup-lines.ts';
import { ConfigError } from '../../runtime/config.ts';
import { syncDirectory } from '../../runtime/sync-directory.ts';
import { newTokenKey, tokenKeyPath } from '../access/token-key.ts';
import { CREDENTIALS_KEY_FILE } from '../credentials/credentials-key.ts';
import { historyDirectory } from '../store/history/history.ts';
import { RestoredHistory } from '../store/history/history-backup.ts';
import type { StorageEngine } from '../store/storage-engine.ts';
import { type BackupFile, examineBackup, readHistory } from './backup-file.ts';
import { compareBackup, writeBackup } from './restored-store.ts';

/** Name of the temporary directory of a restore. Files move to their final place when all of them are complete. */
const UNFINISHED = 'restoring';

/** Target of a restore: the data directory to create, and the functions that locate and open the store in it. */
export interface RestoreTarget {
  dataDirectory: string;
  /** Returns the path of the store in a data directory. */
  storeDirectory(dataDirectory: string): string;
  /** Opens the store in a directory, or creates it. */
  openStore(directory: string): Promise<StorageEngine>;
}

function checkEmpty(directory: string): void {
  if (!existsSync(directory)) return;
  const [first] = readdirSync(directory).filter(name => name !== UNFINISHED && name !== CREDENTIALS_KEY_FILE);
  if (first === undefined) return;
  throw new ConfigError(
    `GSQ_DATA_DIR: ${directory} is not empty, it contains ${first}; restore into a new directory, then use that directory as the data directory`,
  );
}

/** Writes the token key. The key is durable on disk when the function returns. */
function writeTokenKey(directory: string, key: Buffer): void {
  const file = openSync(tokenKeyPath(directory), 'wx', 0o600);
  try {
    writeFileSync(file, key);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Opens the store, runs `work`, and closes the store even if `work` fails. */
async function withStore(
  open: () => Promise<StorageEngine>,
  work: (engine: StorageEngine) => Promise<void>,
): Promise<void> {
  const engine = await open();
  try {
    await work(engine);
  } finally {
    await engine.close();
  }
}

/**
 * Writes the history of a backup to a directory, and then compares the written history with the backup. Rejects with
 * BackupError if they differ.
 */
async function restoreHistory(file: BackupFile, directory: string): Promise<void> {
  const history = new RestoredHistory(directory);
  try {
    await readHistory(file, line => history.add(line));
    await readHistory(file, async line => {
      if (await history.equals(line)) return;
      throw new BackupError(
        `the restored history differs from the backup in ${line.path}; check the disk, and try again`,
      );
    });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new BackupError(`the backup contains a line that this release cannot restore: ${error.message}`);
  } finally {
    await history.close();
  }
}

/**
 * Restores a backup to a data directory. The directory must not exist, must be empty, or must contain only the
 * credentials key. If the directory or the backup is not usable, rejects with ConfigError or BackupError, and restores
 * nothing.
 */
export async function restoreBackup(
  path: string,
  { dataDirectory, storeDirectory, openStore }: RestoreTarget,
  withoutCredentials = false,
): Promise<BackupCounts> {
  const file = { path, withoutCredentials };
  if (!existsSync(path)) throw new ConfigError(`there is no file ${path}`);
  checkEmpty(dataDirectory);
  const unfinished = join(dataDirectory, UNFINISHED);
  rmSync(unfinished, { recursive: true, force: true });
  try {
    const { header, counts } = await examineBackup(file, dataDirectory);
    const store = storeDirectory(unfinished);
    mkdirSync(store, { recursive: true });
    const open = (): Promise<StorageEngine> => openStore(store);
    await withStore(open, engine => writeBackup(file, engine));
    // Checks that every stored entry equals its entry in the backup. The files are still in the temporary directory.
    // They move to their final place only if this check succeeds.
    await withStore(open, engine => compareBackup(file, engine));
    if (counts.history > 0) await restoreHistory(file, historyDirectory(unfinished));
    // The backup contains no token key if its store had lost this key. The tokens of this backup can no longer be used,
    // because only the lost key can check their secrets. Creates a new key, so that new tokens work.
    const key = header.token_key === null ? newTokenKey() : Buffer.from(header.token_key, 'base64');
    writeTokenKey(unfinished, key);
    renameSync(tokenKeyPath(unfinished), tokenKeyPath(dataDirectory));
    if (counts.history > 0) renameSync(historyDirectory(unfinished), historyDirectory(dataDirectory));
    renameSync(store, storeDirectory(dataDirectory));
    syncDirectory(dataDirectory);
    return counts;
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}
