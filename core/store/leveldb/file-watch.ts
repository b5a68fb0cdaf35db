import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Name of the lock file. LevelDB never replaces it while a store is open. So if the lock file changes, another program
 * has replaced it.
 */
const LOCK = 'LOCK';

/** True if an error means that a file does not exist, or that its directory is no longer a directory. */
function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
}

/**
 * Watches the files of an open store. If someone deletes or moves these files, LevelDB gets no error and continues to
 * write to them. The writes would be acknowledged, but lost when the process ends.
 */
export class FileWatch {
  readonly #directory: string;
  /** Device and inode of the lock file; undefined until they have been read for the first time. */
  #lock: string | undefined;
  #isGone = false;

  constructor(directory: string) {
    this.#directory = directory;
    // Reads the device and the inode of the lock file now, so that a later replacement of the file is detected. If this
    // fails, the next call of `isGone` reads them.
    void this.isGone();
  }

  /**
   * Resolves to true if the files of the store were deleted, moved or replaced. If the check itself fails, for example
   * with too many open files, resolves to the result of the previous check.
   */
  async isGone(): Promise<boolean> {
    try {
      this.#isGone = await this.#areOthers();
    } catch (error) {
      this.#isGone ||= isMissing(error);
    }
    return this.#isGone;
  }

  /**
   * Resolves to true if someone replaced the lock file of the store, or if the store has no manifest, no log or no file
   * CURRENT any more. Rejects if the files cannot be read.
   */
  async #areOthers(): Promise<boolean> {
    const { dev, ino } = await stat(join(this.#directory, LOCK));
    const lock = `${dev}:${ino}`;
    this.#lock ??= lock;
    if (lock !== this.#lock) return true;
    const names = await readdir(this.#directory);
    return !['CURRENT', 'MANIFEST-', '.log'].every(part => names.some(name => name.includes(part)));
  }
}
