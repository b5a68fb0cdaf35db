import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Name of the lock file. LevelDB never replaces it in an open store, so a new lock file means that someone replaced it.
 */
const LOCK = 'LOCK';

/** Returns the device and the inode of a file; undefined if there is no such file. */
async function identityOf(path: string): Promise<string | undefined> {
  return stat(path).then(
    ({ dev, ino }) => `${dev}:${ino}`,
    () => undefined,
  );
}

/**
 * Watches the files of an open store. If someone deletes or moves them, LevelDB writes to files that have no name any
 * more, without an error: the writes would be acknowledged, and lost when the process ends.
 */
export class FileWatch {
  readonly #directory: string;
  readonly #lock: Promise<string | undefined>;

  constructor(directory: string) {
    this.#directory = directory;
    this.#lock = identityOf(join(directory, LOCK));
  }

  /** Resolves to true if the files are no longer in their directory, or if other files are in their place. */
  async isGone(): Promise<boolean> {
    const lock = await identityOf(join(this.#directory, LOCK));
    if (lock === undefined || lock !== (await this.#lock)) return true;
    const names = await readdir(this.#directory).catch(() => []);
    return !['CURRENT', 'MANIFEST-', '.log'].every(part => names.some(name => name.includes(part)));
  }
}
