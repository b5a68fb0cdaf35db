import {
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { liveTables } from './manifest.ts';
import { isWholeTable } from './table-check.ts';

/** Files whose content LevelDB never changes once another process reads them; LOCK and its talk are none. */
const DATA_FILE = /^(?:CURRENT|MANIFEST-\d+|\d+\.(?:log|ldb|sst))$/;
const TABLE = /\.(?:ldb|sst)$/;
const OPENING = 'opening';
const FOUND = 'found';
const MARK = 'gsq.json';

/** What is written beside LevelDB whenever it is opened and closed: how far the store must have come. */
export interface StoreMark {
  schema: number;
  sequence: number;
}

function dataFiles(directory: string): string[] {
  return readdirSync(directory).filter(name => DATA_FILE.test(name));
}

/** Whether a file system cannot link. */
function isLinkless(error: unknown): boolean {
  const codes = ['EPERM', 'EMLINK', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EXDEV'];
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}

/** Links the data files of one directory into another, which is made. What is there already stays. */
export function linkFiles(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const name of dataFiles(from)) {
    const target = join(to, name);
    if (!existsSync(target)) linkSync(join(from, name), target);
  }
}

/** Files of tables that the manifest does not know; none where it cannot be read. */
function unknownTables(directory: string): string[] {
  const current = join(directory, 'CURRENT');
  if (!existsSync(current)) return [];
  const manifest = join(directory, readFileSync(current, 'latin1').trim());
  const live = existsSync(manifest) ? liveTables(readFileSync(manifest)) : undefined;
  if (!live) return [];
  return dataFiles(directory).filter(name => TABLE.test(name) && !live.has(Number.parseInt(name, 10)));
}

/**
 * The files of a store as they are found. As soon as LevelDB opens, it deletes what it takes for left over, or writes
 * over it: with half a manifest that is good data. So what the manifest knows is kept in links, and copies are made of
 * tables that it does not know: most often none.
 */
export class FoundFiles {
  readonly #directory: string;
  readonly #mine: boolean;

  /** Where the file system knows no links, the copies are all that is kept. */
  constructor(directory: string) {
    this.#directory = directory;
    const opening = join(directory, OPENING);
    // That of an opening that was killed is older than what is there now, and not yet known to be needless.
    this.#mine = !existsSync(opening);
    mkdirSync(opening, { recursive: true });
    for (const name of unknownTables(directory)) {
      const target = join(opening, name);
      if (!existsSync(target)) copyFileSync(join(directory, name), target, constants.COPYFILE_FICLONE);
    }
    try {
      linkFiles(directory, opening);
    } catch (error) {
      if (!isLinkless(error)) throw error;
    }
  }

  /** They are needed no more. */
  drop(): void {
    rmSync(join(this.#directory, OPENING), { recursive: true, force: true });
  }

  /** LevelDB did not open, so nothing was deleted. */
  dropMine(): void {
    if (this.#mine) this.drop();
  }

  /** They are needed: where they are from now on. Those of the first time stay. */
  keep(): string | undefined {
    const [opening, found] = [join(this.#directory, OPENING), join(this.#directory, FOUND)];
    if (existsSync(found)) this.drop();
    else if (existsSync(opening)) renameSync(opening, found);
    else return undefined;
    return found;
  }
}

/** Whether there is a store. */
export function hasData(directory: string): boolean {
  return existsSync(join(directory, 'CURRENT'));
}

/** What is wrong with the files on their face, where LevelDB would begin anew; undefined where nothing is. */
export function missingFiles(directory: string): string | undefined {
  const files = dataFiles(directory);
  if (files.includes('CURRENT')) return undefined;
  if (files.length > 0) return `its file CURRENT is gone, and ${files.length} files of data are there`;
  return readMark(directory) ? 'all files of data are gone' : undefined;
}

/** Tables of the manifest that are not what was written. Reads all of them: 0.5 GB a second or so. */
export function tornTables(directory: string): string[] {
  const unknown = new Set(unknownTables(directory));
  return dataFiles(directory).filter(
    name => TABLE.test(name) && !unknown.has(name) && !isWholeTable(readFileSync(join(directory, name))),
  );
}

/** Undefined where there is none, or none that can be read: it only ever makes the store be looked at harder. */
export function readMark(directory: string): StoreMark | undefined {
  try {
    const read = JSON.parse(readFileSync(join(directory, MARK), 'utf8')) as Partial<StoreMark> | null;
    const { schema, sequence } = read ?? {};
    return Number.isSafeInteger(schema) && Number.isSafeInteger(sequence)
      ? { schema: Number(schema), sequence: Number(sequence) }
      : undefined;
  } catch {
    return undefined;
  }
}

/** Whole and on disk before it returns. */
export function writeMark(directory: string, mark: StoreMark): void {
  const path = join(directory, MARK);
  const file = openSync(`${path}.new`, 'w');
  try {
    writeFileSync(file, `${JSON.stringify(mark)}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(`${path}.new`, path);
  const folder = openSync(directory, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
