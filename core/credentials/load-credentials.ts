import { ConfigError } from '../../runtime/config.ts';
import { SetDigest } from '../store/set-digest.ts';
import type { StorageEngine } from '../store/storage-engine.ts';
import { listDamaged } from '../store/store-damage.ts';
import { CREDENTIALS, storedCredentials } from './credentials-entry.ts';
import { type CredentialsKey, credentialsKeyPath } from './credentials-key.ts';

/**
 * Checks that `key` can decrypt the `encrypted` credentials, keyed by `serverKey`. Returns the keys of credentials that
 * are damaged or belong to a different server. Throws ConfigError if `key` is missing or wrong.
 */
export function checkDecryptable(
  key: CredentialsKey | undefined,
  encrypted: ReadonlyMap<string, Buffer>,
  directory: string,
): string[] {
  if (encrypted.size === 0) return [];
  const all = [...encrypted];
  if (!key || !all.every(([, each]) => key.didEncrypt(each))) {
    const path = credentialsKeyPath(directory);
    throw new ConfigError(
      `GSQ_DATA_DIR: ${path} ${key ? 'is not' : 'is missing, but it is'} the key that encrypted the stored credentials of ${all.length} servers; ` +
        'restore the file from your copy. If the key is lost for good, continue without the credentials: ' +
        'gsq backup <file> --offline, then gsq restore <file> --no-credentials --data-dir <new directory>',
    );
  }
  return all.filter(([serverKey, each]) => !key.decrypt(each, serverKey)).map(([serverKey]) => serverKey);
}

/** Function that reads the stored credentials of servers, and calls `visit` with each store entry. */
export type ReadCredentials = (visit: (storedKey: string, value: Buffer) => void) => Promise<void>;

/**
 * Reads stored credentials in encrypted form, keyed by `serverKey`. Adds their checksums to `digest`. Rejects with
 * ConfigError if the key is missing or wrong, and with StoreDamage if credentials are damaged.
 */
export async function readCredentials(
  read: ReadCredentials,
  engine: Pick<StorageEngine, 'damage'>,
  key: CredentialsKey | undefined,
  directory: string,
  digest = new SetDigest(),
): Promise<Map<string, Buffer>> {
  const encrypted = new Map<string, Buffer>();
  const damaged: string[] = [];
  await read((storedKey, value) => {
    const stored = storedCredentials(storedKey, value);
    if (stored) {
      digest.addChecksum(stored.checksum);
      encrypted.set(stored.serverKey, stored.encrypted);
    } else damaged.push(storedKey.slice(CREDENTIALS.length));
  });
  if (damaged.length === 0) damaged.push(...checkDecryptable(key, encrypted, directory));
  const faults = damaged.map(serverKey => `the stored credentials of "${serverKey}" are damaged`);
  if (faults.length > 0) throw engine.damage(listDamaged(faults));
  return encrypted;
}

/**
 * Loads all stored credentials in encrypted form, keyed by `serverKey`. Rejects with ConfigError if the key is missing
 * or wrong, and with StoreDamage if credentials are damaged or missing.
 */
export async function loadCredentials(
  engine: StorageEngine,
  key: CredentialsKey | undefined,
  directory: string,
): Promise<Map<string, Buffer>> {
  const digest = new SetDigest();
  const read: ReadCredentials = visit => engine.readAll(CREDENTIALS, visit);
  const encrypted = await readCredentials(read, engine, key, directory, digest);
  engine.verify(CREDENTIALS, digest);
  return encrypted;
}
