import { constants, copyFileSync, existsSync, linkSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { currentManifest, dataFiles, unlistedTables } from './data-files.ts';

/**
 * Name of the directory that preserves the original files of a store until LevelDB has opened the store and all its
 * data is loaded (`FoundFiles`).
 */
export const OPENING = 'opening';
/** Name of the directory that keeps the original files of a damaged store (`FoundFiles`). */
export const FOUND = 'found';

/** True if an error means that the file system does not support hard links. */
function isLinkless(error: unknown): boolean {
  const codes = ['EPERM', 'EMLINK', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EXDEV'];
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}

/**
 * Creates hard links in the directory `to` for the data files of the directory `from`. The directory `to` must exist.
 * Files that it already contains are not replaced.
 */
function linkFiles(from: string, to: string): void {
  for (const name of dataFiles(from)) {
    const target = join(to, name);
    if (!existsSync(target)) linkSync(join(from, name), target);
  }
}

/**
 * Preserves the files of a store before LevelDB opens it. LevelDB deletes files that its manifest does not list. If the
 * manifest is incomplete, these files can contain valid data.
 */
export class FoundFiles {
  readonly #directory: string;
  /**
   * True if this object created the directory `opening`. False if an earlier process created `opening`, and was killed
   * while it opened or loaded the store.
   */
  readonly #isNew: boolean;

  /**
   * Preserves the files of a store in its subdirectory `opening`. If the manifest does not list a table, copies the
   * table. For each other file, creates a hard link. If the file system does not support hard links, preserves only the
   * copies.
   */
  constructor(directory: string, manifest = currentManifest(directory)) {
    this.#directory = directory;
    const opening = join(directory, OPENING);
    // If the directory `opening` exists, it comes from an earlier process that was killed before it had loaded the
    // store. Its files are not replaced, because they can be the only intact ones.
    this.#isNew = !existsSync(opening);
    mkdirSync(opening, { recursive: true });
    for (const name of unlistedTables(directory, manifest)) {
      const target = join(opening, name);
      if (!existsSync(target)) copyFileSync(join(directory, name), target, constants.COPYFILE_FICLONE);
    }
    try {
      linkFiles(directory, opening);
    } catch (error) {
      if (!isLinkless(error)) throw error;
    }
  }

  /**
   * Deletes the subdirectory `opening`, which contains the preserved files of the store. Call this method when all data
   * of the store is loaded.
   */
  drop(): void {
    rmSync(join(this.#directory, OPENING), { recursive: true, force: true });
  }

  /**
   * Call this if LevelDB could not open the store. Deletes the preserved files in `opening` if this object created
   * them. Files of an earlier process are kept: they can be the only intact ones.
   */
  dropIfNew(): void {
    if (this.#isNew) this.drop();
  }

  /**
   * Keeps the preserved files of a damaged store: renames `opening` to `found`. If `found` already exists, deletes
   * `opening` instead. Returns the path of `found`, or undefined if no files were preserved.
   */
  keep(): string | undefined {
    const [opening, found] = [join(this.#directory, OPENING), join(this.#directory, FOUND)];
    if (existsSync(found)) this.drop();
    else if (existsSync(opening)) renameSync(opening, found);
    else return undefined;
    return found;
  }
}
