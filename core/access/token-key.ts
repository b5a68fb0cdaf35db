import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { ConfigError, secretFile } from '../../runtime/config.ts';
import { makeSecretFile } from '../../runtime/secret-file.ts';

const FILE = 'token.key';
const KEY_BYTES = 32;

/** Returns the path of the token key in a data directory. */
export function tokenKeyPath(directory: string): string {
  return join(directory, FILE);
}

/** Returns the shell command that writes a new token key, for error messages. */
export function newKeyCommand(directory: string): string {
  return `(umask 077; head -c ${KEY_BYTES} /dev/urandom > ${tokenKeyPath(directory)})`;
}

/**
 * Reads the token key, 32 bytes, which hashes the secrets of tokens. Returns undefined if the directory has no token
 * key yet. Throws ConfigError if the file cannot be read, other users have access to it, or its length is wrong.
 */
export function readTokenKey(directory: string): Buffer | undefined {
  const path = tokenKeyPath(directory);
  const key = secretFile('GSQ_DATA_DIR', path);
  if (!key || key.length === KEY_BYTES) return key;
  throw new ConfigError(
    `GSQ_DATA_DIR: ${path} has ${key.length} bytes instead of ${KEY_BYTES} and is not a valid key; restore it from the backup of this directory`,
  );
}

/**
 * Creates the token key of a data directory that has no token key yet. The key is durable on disk when the function
 * returns.
 */
export function makeTokenKey(directory: string): Buffer {
  const key = randomBytes(KEY_BYTES);
  makeSecretFile(tokenKeyPath(directory), key);
  return key;
}
