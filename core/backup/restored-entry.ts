import {
  type BackupCredentials,
  BackupError,
  type BackupLine,
  type BackupWebhook,
} from '../../proto/codec/backup-lines.ts';
import { usageEntry } from '../access/day-quota.ts';
import { lastUseEntry } from '../access/last-use.ts';
import { tokenEntry } from '../access/token-entry.ts';
import { credentialsEntry } from '../credentials/credentials-entry.ts';
import { isEncrypted } from '../credentials/credentials-key.ts';
import { serverEntry } from '../servers/server-entry.ts';
import { serverKey } from '../servers/server-record.ts';
import type { Put } from '../store/storage-engine.ts';
import {
  type StoredWebhook,
  type WebhookJson,
  webhookEntry,
  webhookOfJson,
} from '../webhooks/webhook-entry.ts';
import { restoredServer } from './backup.ts';

/** A line of a backup that becomes an entry of the store: any line except those of the history. */
export type StoredLine = Exclude<BackupLine, { history: unknown }>;

/**
 * Returns the encrypted credentials of a server from a line of a backup. Throws RangeError if the credentials are too
 * short to be complete.
 */
export function encryptedOf({ encrypted }: BackupCredentials): Buffer {
  const bytes = Buffer.from(encrypted, 'base64');
  if (!isEncrypted(bytes)) throw new RangeError('the credentials of a server are incomplete');
  return bytes;
}

/** Returns the webhook of a backup line. Throws RangeError if the line is incomplete. */
export function webhookOf(line: BackupWebhook): StoredWebhook {
  const webhook = webhookOfJson(line as WebhookJson);
  if (!webhook) throw new RangeError('a webhook is incomplete');
  return webhook;
}

/**
 * Returns the write operation that restores a backup line. Throws BackupError if this release cannot store the line.
 */
export function restoredEntry(line: StoredLine): Put {
  try {
    if ('server' in line) return serverEntry(restoredServer(line.server));
    if ('credentials' in line) {
      const { game_id, address } = line.credentials;
      return credentialsEntry(serverKey(game_id, address), encryptedOf(line.credentials));
    }
    if ('token' in line) return tokenEntry(line.token);
    if ('usage' in line) {
      const { token, minute, count } = line.usage;
      return usageEntry(token, minute, count);
    }
    if ('webhook' in line) return webhookEntry(webhookOf(line.webhook));
    return lastUseEntry(line.last_use.token, line.last_use.at);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new BackupError(`the backup contains a line that this release cannot store: ${why}`);
  }
}
