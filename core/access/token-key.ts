import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { ConfigError, secretFile } from '../../runtime/config.ts';
import { makeSecretFile } from '../../runtime/secret-file.ts';

const FILE = 'token.key';
const KEY_BYTES = 32;

/** Path of the token key in a data directory. */
export function tokenKeyPath(directory: string): string {
  return join(directory, FILE);
}

/** Shell command that writes a new key; for messages. */
export function newKeyCommand(directory: string): string {
  return `(umask 077; head -c ${KEY_BYTES} /dev/urandom > ${tokenKeyPath(directory)})`;
}

/**
 * Reads the key of the secret hash, 32 bytes; undefined if the directory has none yet. Throws ConfigError if the file cannot
 * be read, other users may read it, or its length is wrong.
 */
export function readTokenKey(directory: string): Buffer | undefined {
  const path = tokenKeyPath(directory);
  const key = secretFile('GSQ_DATA_DIR', path);
  if (!key || key.length === KEY_BYTES) return key;
  throw new ConfigError(
    `GSQ_DATA_DIR: ${path} has ${key.length} bytes instead of ${KEY_BYTES} and is no key; restore it from the backup of this directory`,
  );
}

/** Creates the key of a directory that has none. The key is durable when this returns. */
export function makeTokenKey(directory: string): Buffer {
  const key = randomBytes(KEY_BYTES);
  makeSecretFile(tokenKeyPath(directory), key);
  return key;
}
