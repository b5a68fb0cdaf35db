import { constants, copyFileSync, existsSync, linkSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { dataFiles, unlistedTables } from './data-files.ts';

/** Name of the directory that holds the preserved files while the store is being opened and loaded. */
export const OPENING = 'opening';
/** Name of the directory that holds the preserved files after the store has proved to be damaged. */
export const FOUND = 'found';

/** True if an error means that the file system does not support hard links. */
function isLinkless(error: unknown): boolean {
  const codes = ['EPERM', 'EMLINK', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EXDEV'];
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}

/**
 * Creates hard links to the data files of the directory `from` in the existing directory `to`. Files that exist in `to`
 * are not replaced.
 */
function linkFiles(from: string, to: string): void {
  for (const name of dataFiles(from)) {
    const target = join(to, name);
    if (!existsSync(target)) linkSync(join(from, name), target);
  }
}

/**
 * Preserves the files of a store in the state in which they were found. When LevelDB opens a store, it deletes or
 * overwrites files that it considers obsolete. If a part of the manifest is lost, LevelDB also considers files obsolete
 * that contain valid data. Therefore listed files are preserved as hard links. Tables that the manifest does not list
 * are preserved as copies; usually there are none.
 */
export class FoundFiles {
  readonly #directory: string;
  /** True if this opening of the store preserved the files. False if an earlier, unfinished opening preserved them. */
  readonly #isNew: boolean;

  /** Preserves the files. Without hard links, preserves only copies of the tables that the manifest does not list. */
  constructor(directory: string) {
    this.#directory = directory;
    const opening = join(directory, OPENING);
    // If the directory exists, an earlier opening preserved files and was killed. Its files are older than the present
    // files and can still be needed, so they are not replaced.
    this.#isNew = !existsSync(opening);
    mkdirSync(opening, { recursive: true });
    for (const name of unlistedTables(directory)) {
      const target = join(opening, name);
      if (!existsSync(target)) copyFileSync(join(directory, name), target, constants.COPYFILE_FICLONE);
    }
    try {
      linkFiles(directory, opening);
    } catch (error) {
      if (!isLinkless(error)) throw error;
    }
  }

  /** Deletes the preserved files. Call this when the store is verified as complete. */
  drop(): void {
    rmSync(join(this.#directory, OPENING), { recursive: true, force: true });
  }

  /** Deletes the files that this opening preserved. Call this if LevelDB did not open: LevelDB then deleted nothing. */
  dropIfNew(): void {
    if (this.#isNew) this.drop();
  }

  /**
   * Moves the preserved files to their final directory. If an earlier opening already moved files there, deletes the
   * newly preserved files instead. Call this if the store is damaged. Returns the path of that directory, or undefined
   * if no files are preserved.
   */
  keep(): string | undefined {
    const [opening, found] = [join(this.#directory, OPENING), join(this.#directory, FOUND)];
    if (existsSync(found)) this.drop();
    else if (existsSync(opening)) renameSync(opening, found);
    else return undefined;
    return found;
  }
}
