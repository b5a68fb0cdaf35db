import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ConfigError, secretFile } from '../../../runtime/config.ts';
import type { Logger } from '../../../runtime/log.ts';
import { makeSecretFile } from '../../../runtime/secret-file.ts';
import { syncDirectory } from '../../../runtime/sync-directory.ts';
import { DAMAGED, TIER_DIRECTORIES } from './history-directories.ts';

const FILE = 'history.key';
/**
 * Length in bytes of the secret key with which a history hashes the keys of servers. Without the secret key, nobody can
 * choose servers whose hashes collide.
 */
export const KEY_BYTES = 32;

/**
 * Returns the secret key with which a history hashes server keys; undefined if there is no key file yet. Throws
 * ConfigError if the file is unreadable, has a wrong length, or is accessible to other users.
 */
export function readHistoryKey(directory: string): Buffer | undefined {
  const path = join(directory, FILE);
  const key = secretFile('GSQ_DATA_DIR', path);
  if (!key || key.length === KEY_BYTES) return key;
  throw new ConfigError(
    `GSQ_DATA_DIR: ${path} has ${key.length} bytes instead of ${KEY_BYTES} and is not a valid key; restore the file from a backup of this directory, or delete it: the history then begins again`,
  );
}

/** Writes a secret key into the directory of a history that has no key yet. */
export function writeHistoryKey(directory: string, key: Buffer): void {
  makeSecretFile(join(directory, FILE), key);
}

/**
 * Returns the secret key of a history. If there is no key, creates a new one. The existing directories of the history
 * cannot be read with a new key, so this function then moves them aside.
 */
export function keepHistoryKey(directory: string, log: Logger): Buffer {
  if (mkdirSync(directory, { recursive: true }) !== undefined) syncDirectory(dirname(directory));
  const key = readHistoryKey(directory);
  if (key) return key;
  for (const tier of TIER_DIRECTORIES) {
    const path = join(directory, tier);
    if (!existsSync(path)) continue;
    mkdirSync(join(directory, DAMAGED), { recursive: true });
    const movedTo = join(directory, DAMAGED, `${tier}-without-key-${randomBytes(4).toString('hex')}`);
    renameSync(path, movedTo);
    log.error(
      { path, movedTo },
      `history: ${FILE} is missing, so the history begins again; put the file back and move the directory back to keep the old history`,
    );
  }
  const made = randomBytes(KEY_BYTES);
  writeHistoryKey(directory, made);
  return made;
}
