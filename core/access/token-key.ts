import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { ConfigError, secretFile } from '../../runtime/config.ts';
import { checkValueOf } from '../../runtime/key-check.ts';
import { makeSecretFile } from '../../runtime/secret-file.ts';
import { addChecksum, checkedContent } from '../store/checksummed.ts';
import type { Put, StorageEngine } from '../store/storage-engine.ts';

const FILE = 'token.key';
const KEY_BYTES = 32;
/**
 * Key of the store entry with the check value (see `checkValueOf`), which shows whether a token key is the right one.
 */
const CHECK_KEY = `k/${FILE}`;

/** Returns the path of the file with the token key in a data directory. */
export function tokenKeyPath(directory: string): string {
  return join(directory, FILE);
}

/**
 * Reads the token key: the 32 bytes that hash the secrets of tokens. Returns undefined if there is none. Throws
 * ConfigError if the key file is unreadable, has a wrong length, or is open to other users.
 */
export function readTokenKey(directory: string): Buffer | undefined {
  const path = tokenKeyPath(directory);
  const key = secretFile('GSQ_DATA_DIR', path);
  if (!key || key.length === KEY_BYTES) return key;
  throw unusable(`${path} has ${key.length} bytes instead of ${KEY_BYTES} and is not a valid key`);
}

/** Returns a new random token key: the 32-byte key that hashes the secrets of tokens. */
export function newTokenKey(): Buffer {
  return randomBytes(KEY_BYTES);
}

/**
 * Creates the token key of a data directory that has no token key yet. The key is durable on disk when the function
 * returns.
 */
export function makeTokenKey(directory: string): Buffer {
  const key = newTokenKey();
  makeSecretFile(tokenKeyPath(directory), key);
  return key;
}

function unusable(what: string): ConfigError {
  return new ConfigError(
    `GSQ_DATA_DIR: ${what}; restore the file from the backup of this directory. If the key is lost for good, continue ` +
      'without it: gsq backup <file> --offline, then gsq restore <file> --data-dir <new directory>, and give each token ' +
      'a new secret: gsq token rotate <id>',
  );
}

/** Returns the write operation that stores the check value of a token key (see `checkValueOf`). */
export function tokenKeyCheck(key: Buffer): Put {
  return { type: 'put', key: CHECK_KEY, value: addChecksum(CHECK_KEY, checkValueOf(key, FILE)) };
}

/** The token key of a data directory, and whether it matches the check value in the store (see `checkValueOf`). */
export interface CheckedTokenKey {
  /** The token key, which hashes the secrets of tokens; undefined if the data directory has no token key. */
  key: Buffer | undefined;
  /** True if the store contains a check value, and the token key matches it. */
  isChecked: boolean;
}

/**
 * Reads the token key, and compares it with the check value in the store. `needed`: number of stored tokens whose
 * secrets were hashed with the key.
 *
 * Rejects with ConfigError if the key file is unusable, or if `needed` is greater than 0 and the key is missing or
 * wrong. Rejects with StoreDamage if the check value is damaged.
 */
export async function readCheckedTokenKey(
  engine: Pick<StorageEngine, 'readAll' | 'damage'>,
  directory: string,
  needed: number,
): Promise<CheckedTokenKey> {
  const key = readTokenKey(directory);
  let stored: Buffer | undefined;
  await engine.readAll(CHECK_KEY, (name, value) => {
    stored = checkedContent(name, value);
    if (!stored) throw engine.damage(`the stored check value of ${FILE} does not match its checksum`);
  });
  const isChecked = key !== undefined && stored?.equals(checkValueOf(key, FILE)) === true;
  // The store of an old release has no check value for the token key. Every token key is then accepted.
  if (needed > 0 && (!key || (stored && !isChecked)))
    throw unusable(
      `${tokenKeyPath(directory)} ${key ? 'is not' : 'is missing, but it is'} the key that hashed the secrets of the ${needed} stored tokens`,
    );
  return { key, isChecked };
}
