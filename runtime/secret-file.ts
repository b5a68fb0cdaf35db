import {
  closeSync,
  fstatSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { reasonOf } from './error-words.ts';
import { syncDirectory } from './sync-directory.ts';

const OWNER_ONLY = 0o600;
const BY_GROUP = 0o040;
const BY_OTHERS_THAN_OWNER = 0o077;
/** Error codes of `link` on file systems that do not support hard links. */
const NO_LINKS = ['EPERM', 'ENOTSUP', 'ENOSYS'];

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

function octal({ mode }: Stats): string {
  return `0${(mode & 0o777).toString(8).padStart(3, '0')}`;
}

/** Thrown if a file cannot be used as a secret. `message` contains the path, the fault and the way to correct it. */
export class SecretFileError extends Error {
  override name = 'SecretFileError';
}

/** Returns mode and owner of a file for an error message. Returns an empty string if they cannot be read. */
function describeFile(path: string): string {
  try {
    const stats = statSync(path);
    return ` (mode ${octal(stats)}, of user ${stats.uid})`;
  } catch {
    return '';
  }
}

function unreadable(path: string, error: unknown): SecretFileError {
  const reason = reasonOf(error);
  return new SecretFileError(
    `${path}${describeFile(path)} cannot be read: ${reason}; give the file to the user that runs this process: chown <user> ${path} && chmod 600 ${path}`,
  );
}

/**
 * Returns true if users other than the owner have any access to the file. There is one exception for Kubernetes
 * (fsGroup): the group may read the file if root owns it and this process is not root.
 */
function isReadableByOthers({ mode, uid }: Stats): boolean {
  const allowed = uid === 0 && process.geteuid?.() !== 0 ? BY_GROUP : 0;
  return (mode & BY_OTHERS_THAN_OWNER & ~allowed) !== 0;
}

/**
 * Reads a file with a secret. Returns undefined if the file does not exist. Throws SecretFileError if the file cannot
 * be read, or if users other than its owner have access to it.
 */
export function readSecretFile(path: string): Buffer | undefined {
  let file: number | undefined;
  try {
    file = openSync(path, 'r');
    const stats = fstatSync(file);
    if (isReadableByOthers(stats)) {
      throw new SecretFileError(
        `${path} has mode ${octal(stats)} and is open to other users than its owner; close it with: chmod 600 ${path}`,
      );
    }
    return readFileSync(file);
  } catch (error) {
    if (error instanceof SecretFileError) throw error;
    if (codeOf(error) === 'ENOENT') return undefined;
    throw unreadable(path, error);
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/**
 * Returns the text of a file with a secret, without the final line break. Throws SecretFileError if the file does not
 * exist, is not readable, or is readable by other users than its owner.
 */
export function readSecretText(path: string): string {
  const content = readSecretFile(path);
  if (!content) throw new SecretFileError(`there is no file ${path}`);
  return content.toString('utf8').replace(/\r?\n$/, '');
}

/**
 * Creates a file that only its owner can read, and syncs it to disk. The file never exists half-written. An existing
 * file is kept, even if another process creates the file during the call.
 */
export function makeSecretFile(path: string, content: string | Buffer): void {
  const unfinished = `${path}.${process.pid}.new`;
  rmSync(unfinished, { force: true });
  const file = openSync(unfinished, 'wx', OWNER_ONLY);
  try {
    writeFileSync(file, content);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  publishFile(unfinished, path);
  syncDirectory(dirname(path));
}

/**
 * Moves a complete file to its final path, unless a file exists there. Uses a hard link, because a rename would replace
 * the existing file.
 */
function publishFile(unfinished: string, path: string): void {
  try {
    linkSync(unfinished, path);
  } catch (error) {
    const code = codeOf(error);
    if (NO_LINKS.some(known => known === code)) renameSync(unfinished, path);
    else if (code !== 'EEXIST') throw error;
  }
  rmSync(unfinished, { force: true });
}
