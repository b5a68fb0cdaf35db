import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fstatSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '../../runtime/config.ts';

const FILE = 'token.key';
const KEY_BYTES = 32;
const OWNER_ONLY = 0o600;

/** Where the key of a data directory is. */
export function tokenKeyPath(directory: string): string {
  return join(directory, FILE);
}

/** How to write a new key, for messages. */
export function newKeyCommand(directory: string): string {
  return `(umask 077; head -c ${KEY_BYTES} /dev/urandom > ${tokenKeyPath(directory)})`;
}

function open(path: string): number | undefined {
  try {
    return openSync(path, 'r');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw unreadable(path, error);
  }
}

function unreadable(path: string, error: unknown): ConfigError {
  const reason = error instanceof Error ? error.message : String(error);
  return new ConfigError(
    `GSQ_DATA_DIR: the key of the tokens, ${path}, cannot be read: ${reason}. Give it to the user the core runs as: chown, chmod 600`,
  );
}

/**
 * The key that secrets are hashed with, 32 bytes; undefined where the directory has none yet. Throws ConfigError where
 * it cannot be read, others may read it, or it is no key.
 */
export function readTokenKey(directory: string): Buffer | undefined {
  const path = tokenKeyPath(directory);
  const file = open(path);
  if (file === undefined) return undefined;
  try {
    if ((fstatSync(file).mode & 0o077) !== 0) {
      throw new ConfigError(
        `GSQ_DATA_DIR: ${path} is open to others than its owner; close it with: chmod 600 ${path}`,
      );
    }
    const key = readFileSync(file);
    if (key.length === KEY_BYTES) return key;
    throw new ConfigError(
      `GSQ_DATA_DIR: ${path} has ${key.length} bytes instead of ${KEY_BYTES} and is no key; restore it from the backup of this directory`,
    );
  } catch (error) {
    throw error instanceof ConfigError ? error : unreadable(path, error);
  } finally {
    closeSync(file);
  }
}

/** Makes the key of a directory that has none. It is on disk, whole, before this returns. */
export function makeTokenKey(directory: string): Buffer {
  const path = tokenKeyPath(directory);
  const unfinished = `${path}.new`;
  const key = randomBytes(KEY_BYTES);
  // Whoever began one was ended before its name: no token knows it.
  rmSync(unfinished, { force: true });
  const file = openSync(unfinished, 'wx', OWNER_ONLY);
  try {
    writeFileSync(file, key);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(unfinished, path);
  const folder = openSync(directory, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
  return key;
}
