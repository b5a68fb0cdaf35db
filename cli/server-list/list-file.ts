import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, linkSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { reasonOf } from '../../runtime/error-words.ts';
import { exitStatus } from '../../runtime/lifecycle.ts';
import { CommandError, UsageError } from '../console/command.ts';

/**
 * Writes a new file; `fill` writes the content. The file has a temporary name until it is complete. Throws UsageError
 * if `path` already exists, and CommandError if the file cannot be written.
 */
export async function writeListFile(
  path: string,
  fill: (write: (text: string) => void) => Promise<void>,
): Promise<void> {
  const unfinished = temporaryName(path);
  const file = failIfUnwritable(path, () => openSync(unfinished, 'wx'));
  try {
    await fill(text => {
      const bytes = Buffer.from(text);
      for (let at = 0; at < bytes.length; ) at += failIfUnwritable(path, () => writeSync(file, bytes, at));
    });
    failIfUnwritable(path, () => {
      fsyncSync(file);
      giveName(unfinished, path);
    });
  } finally {
    closeSync(file);
    rmSync(unfinished, { force: true });
  }
}

/** Returns an unused temporary name for a new file. Throws UsageError if `path`, the final name, already exists. */
export function temporaryName(path: string): string {
  if (existsSync(path)) throw alreadyExists(path);
  return `${path}.${randomBytes(6).toString('hex')}.part`;
}

/** Runs `work`, one step of writing a file. Throws CommandError if it fails, for example because the disk is full. */
export function failIfUnwritable<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new CommandError(exitStatus.failed, `${path} cannot be written: ${reasonOf(error)}`);
  }
}

function alreadyExists(path: string): UsageError {
  return new UsageError(`${path} already exists; give the name of a new file`);
}

/**
 * Gives the finished file its final name with a hard link, because `rename` would overwrite a file that another
 * process has created meanwhile. Throws UsageError if a file with the final name exists.
 */
export function giveName(unfinished: string, path: string): void {
  try {
    linkSync(unfinished, path);
  } catch {
    if (existsSync(path)) throw alreadyExists(path);
    // The file system does not support hard links. Therefore the finished file is renamed to `path`.
    renameSync(unfinished, path);
  }
}
