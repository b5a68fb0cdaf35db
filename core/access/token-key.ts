import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { ConfigError, secretFile } from '../../runtime/config.ts';
import { makeSecretFile } from '../../runtime/secret-file.ts';

const FILE = 'token.key';
const KEY_BYTES = 32;

/** Where the key of a data directory is. */
export function tokenKeyPath(directory: string): string {
  return join(directory, FILE);
}

/** How to write a new key, for messages. */
export function newKeyCommand(directory: string): string {
  return `(umask 077; head -c ${KEY_BYTES} /dev/urandom > ${tokenKeyPath(directory)})`;
}

/**
 * The key that secrets are hashed with, 32 bytes; undefined where the directory has none yet. Throws ConfigError where
 * it cannot be read, others may read it, or it is no key.
 */
export function readTokenKey(directory: string): Buffer | undefined {
  const path = tokenKeyPath(directory);
  const key = secretFile('GSQ_DATA_DIR', path);
  if (!key || key.length === KEY_BYTES) return key;
  throw new ConfigError(
    `GSQ_DATA_DIR: ${path} has ${key.length} bytes instead of ${KEY_BYTES} and is no key; restore it from the backup of this directory`,
  );
}

/** Makes the key of a directory that has none. It is on disk, whole, before this returns. */
export function makeTokenKey(directory: string): Buffer {
  const key = randomBytes(KEY_BYTES);
  makeSecretFile(tokenKeyPath(directory), key);
  return key;
}
