import {
  type BackupCounts,
  BackupError,
  type BackupHeader,
  type BackupHistory,
  readBackup,
} from '../../proto/codec/backup-lines.ts';
import { CredentialsKey } from '../credentials/credentials-key.ts';
import { checkDecryptable } from '../credentials/load-credentials.ts';
import { serverKey } from '../servers/server-record.ts';
import { secretsOwner } from '../webhooks/webhook-entry.ts';
import { encryptedOf, restoredEntry, type StoredLine, webhookOf } from './restored-entry.ts';

/** A backup file that is to be restored. */
export interface BackupFile {
  path: string;
  /**
   * True if the restore leaves out all data that the credentials key encrypts: the credentials of servers, and all
   * webhooks.
   */
  withoutCredentials: boolean;
}

/**
 * Reads a backup, and calls `onLine` for each line that the restore writes to the store as an entry. Resolves when the
 * whole backup is verified. Rejects with BackupError if the backup is damaged or incomplete.
 */
export function readLines(
  { path, withoutCredentials }: BackupFile,
  onLine: (line: StoredLine) => void | Promise<void>,
): ReturnType<typeof readBackup> {
  return readBackup(path, line => {
    if ('history' in line || (withoutCredentials && ('credentials' in line || 'webhook' in line))) return;
    return onLine(line);
  });
}

/** Reads a backup, and calls `onHistory` for each line that contains a part of the servers' history. */
export function readHistory(
  { path }: BackupFile,
  onHistory: (line: BackupHistory) => void | Promise<void>,
): ReturnType<typeof readBackup> {
  return readBackup(path, line => ('history' in line ? onHistory(line.history) : undefined));
}

/**
 * Checks a whole backup before the restore. Rejects with BackupError if a line is invalid or in the wrong place.
 * Rejects with ConfigError if `directory` contains a wrong credentials key.
 */
export async function examineBackup(
  file: BackupFile,
  directory: string,
): Promise<{ header: BackupHeader; counts: BackupCounts }> {
  const encrypted = new Map<string, Buffer>();
  let server = '';
  let credentials = 0;
  let webhooks = 0;
  const read = await readLines(file, line => {
    restoredEntry(line);
    if ('server' in line) server = serverKey(line.server.game_id, line.server.address);
    if ('webhook' in line) {
      webhooks++;
      encrypted.set(secretsOwner(line.webhook.id), webhookOf(line.webhook).encrypted);
    }
    if (!('credentials' in line)) return;
    credentials++;
    const key = serverKey(line.credentials.game_id, line.credentials.address);
    if (key !== server)
      throw new BackupError(`the backup is damaged: the credentials of "${key}" follow a different server`);
    encrypted.set(key, encryptedOf(line.credentials));
    server = '';
  });
  const key = CredentialsKey.read(directory);
  const [wrong] = key ? checkDecryptable(key, encrypted, directory) : [];
  if (wrong !== undefined) throw new BackupError(`the credentials of "${wrong}" in the backup are damaged`);
  return { header: read.header, counts: { ...read.counts, credentials, webhooks } };
}
