import { constants, copyFileSync, existsSync, linkSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { dataFiles, unlistedTables } from './data-files.ts';

/** Where the files are kept while the store is being opened and loaded. */
export const OPENING = 'opening';
/** Where they are kept if the store proved to be damaged. */
export const FOUND = 'found';

/** Whether an error says that the file system has no hard links. */
function isLinkless(error: unknown): boolean {
  const codes = ['EPERM', 'EMLINK', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EXDEV'];
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}

/** Links the data files of one directory into another, which exists; files that are there already stay. */
function linkFiles(from: string, to: string): void {
  for (const name of dataFiles(from)) {
    const target = join(to, name);
    if (!existsSync(target)) linkSync(join(from, name), target);
  }
}

/**
 * Keeps the files of a store as they were found. When LevelDB opens, it deletes files that it holds for obsolete, or
 * overwrites them; if half the manifest is lost, these are good data. So the listed files are kept as hard links, and
 * tables that the manifest does not list, of which there are mostly none, as copies.
 */
export class FoundFiles {
  readonly #directory: string;
  /** Whether the files were kept by this opening, not by an earlier one that was killed. */
  readonly #isNew: boolean;

  /** Keeps the files. On a file system without hard links only the copies are kept. */
  constructor(directory: string) {
    this.#directory = directory;
    const opening = join(directory, OPENING);
    // Files that an opening kept which was killed are older than the present ones, and may still be needed.
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

  /** The store is whole: deletes the kept files. */
  drop(): void {
    rmSync(join(this.#directory, OPENING), { recursive: true, force: true });
  }

  /** LevelDB did not open, so it deleted nothing: deletes the files that this opening kept. */
  dropIfNew(): void {
    if (this.#isNew) this.drop();
  }

  /** The store is damaged: moves the kept files to their final directory, unless an earlier opening did; its path. */
  keep(): string | undefined {
    const [opening, found] = [join(this.#directory, OPENING), join(this.#directory, FOUND)];
    if (existsSync(found)) this.drop();
    else if (existsSync(opening)) renameSync(opening, found);
    else return undefined;
    return found;
  }
}
