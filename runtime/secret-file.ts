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

const OWNER_ONLY = 0o600;
const BY_GROUP = 0o040;
const BY_OTHERS_THAN_OWNER = 0o077;
/** File systems that know no hard links say one of these. */
const NO_LINKS = ['EPERM', 'ENOTSUP', 'ENOSYS'];

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

function octal({ mode }: Stats): string {
  return `0${(mode & 0o777).toString(8).padStart(3, '0')}`;
}

/** A file that cannot be used as a secret; `message` names it, and tells how to mend that. */
export class SecretFileError extends Error {
  override name = 'SecretFileError';
}

/** What can be told of a file that could not be opened. */
function lookAt(path: string): string {
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
    `${path}${lookAt(path)} cannot be read: ${reason}; make it a file of the user this runs as, with: chown <user> ${path} && chmod 600 ${path}`,
  );
}

/**
 * What may read the file beside its owner. A file of root's may be read by a group where we are not root: that is how
 * one is handed to a user who must not change it (a secret of Kubernetes with an fsGroup is 0440).
 */
function isOpen({ mode, uid }: Stats): boolean {
  const handed = uid === 0 && process.geteuid?.() !== 0 ? BY_GROUP : 0;
  return (mode & BY_OTHERS_THAN_OWNER & ~handed) !== 0;
}

/**
 * The content of a file that holds a secret; undefined where there is no such file. Throws SecretFileError where it cannot
 * be read, or others than its owner may read it.
 */
export function readSecretFile(path: string): Buffer | undefined {
  let file: number | undefined;
  try {
    file = openSync(path, 'r');
    const stats = fstatSync(file);
    if (isOpen(stats)) {
      throw new SecretFileError(
        `${path} has mode ${octal(stats)} and is open to others than its owner; close it with: chmod 600 ${path}`,
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

/** The text in a file that holds a secret, without the line end behind it. Throws SecretFileError, also where there is no such file. */
export function readSecretText(path: string): string {
  const content = readSecretFile(path);
  if (!content) throw new SecretFileError(`there is no file ${path}`);
  return content.toString('utf8').replace(/\r?\n$/, '');
}

/**
 * Makes a file that only its owner may read. It is on disk, whole, before this returns; where another process made it in
 * the meantime, that one stays.
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
  giveName(unfinished, path);
  const folder = openSync(dirname(path), 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

/** A link takes no name that is taken, which a renaming does. */
function giveName(unfinished: string, path: string): void {
  try {
    linkSync(unfinished, path);
  } catch (error) {
    const code = codeOf(error);
    if (NO_LINKS.some(known => known === code)) renameSync(unfinished, path);
    else if (code !== 'EEXIST') throw error;
  }
  rmSync(unfinished, { force: true });
}
