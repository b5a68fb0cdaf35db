import { constants, cpSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { BackupHistory } from '../../../proto/codec/backup-lines.ts';
import { type BinaryEntry, LevelDb } from '../leveldb/leveldb.ts';
import { createHistoryDirectory, historyPaths } from './history-directories.ts';
import { KEY_BYTES, readHistoryKey, writeHistoryKey } from './history-key.ts';
import { isHistoryPath } from './periods.ts';

/**
 * Value of the field `path` in the backup line that contains the secret key of the history. In other lines, `path`
 * names a directory of the history.
 */
const KEY_PATH = 'history.key';
/** Maximum number of history entries in one line of a backup. */
const PAGE = 500;
const FIRST = Buffer.alloc(0);
const LAST = Buffer.alloc(16, 0xff);
const LENGTHS_BYTES = 5;

/**
 * Calls `work` with the database of a LevelDB directory of the history, and resolves to the result of `work`. Resolves
 * to undefined if the directory no longer exists.
 */
export type ReadDirectory = <T>(path: string, work: (db: LevelDb) => Promise<T>) => Promise<T | undefined>;

/** Reads a history in pages (groups of entries). A core can use the history at the same time. */
export interface HistoryPages {
  /** Secret key with which the keys of servers are hashed. */
  readonly secret: Buffer;
  /**
   * Writes all queued entries. Returns a version number for each LevelDB directory; the number changes when entries of
   * the directory change. Rejects with NoWrites if entries cannot be written.
   */
  versions(): Promise<ReadonlyMap<string, number>>;
  /**
   * Returns the next entries of the LevelDB directory `path`, in key order. `after`: key of the last entry that the
   * caller already has; empty at the start.
   */
  page(path: string, after: Buffer): Promise<BinaryEntry[]>;
}

/**
 * Returns at most `PAGE` entries of a history directory, in key order. The first entry is the one after the key
 * `after`.
 */
export function readPage(db: LevelDb, after: Buffer): Promise<BinaryEntry[]> {
  return db.readRange(after.length > 0 ? Buffer.concat([after, Buffer.of(0)]) : FIRST, LAST, PAGE);
}

/**
 * Returns a line of a backup that contains these entries of the history. `path`: path of the LevelDB directory from
 * which the entries come.
 */
export function historyLine(path: string, entries: readonly BinaryEntry[]): BackupHistory {
  return { path, entries: packed(entries) };
}

/** Returns the backup line with the secret key of a history. */
export function keyLine(key: Buffer): BackupHistory {
  return { path: KEY_PATH, entries: key.toString('base64') };
}

function packed(entries: readonly BinaryEntry[]): string {
  const parts = entries.flatMap(([key, value]) => {
    const lengths = Buffer.alloc(LENGTHS_BYTES);
    lengths.writeUInt8(key.length, 0);
    lengths.writeUInt32LE(value.length, 1);
    return [lengths, key, value];
  });
  return Buffer.concat(parts).toString('base64');
}

/** Returns the entries of a history line of a backup. Throws RangeError if the line is not complete. */
export function historyEntries({ entries }: BackupHistory): BinaryEntry[] {
  return unpacked(entries);
}

/** Returns the secret key of a history from a line of a backup. Returns undefined if the line contains other data. */
export function secretOf({ path, entries }: BackupHistory): Buffer | undefined {
  return path === KEY_PATH ? Buffer.from(entries, 'base64') : undefined;
}

/** Decodes the LevelDB entries in the text of a backup line. Throws RangeError if the text is not complete. */
function unpacked(text: string): BinaryEntry[] {
  const bytes = Buffer.from(text, 'base64');
  const entries: BinaryEntry[] = [];
  for (let at = 0; at < bytes.length; ) {
    const keyEnd = at + LENGTHS_BYTES + bytes.readUInt8(at);
    const end = keyEnd + bytes.readUInt32LE(at + 1);
    if (end > bytes.length) throw new RangeError('a line of the history is incomplete');
    entries.push([bytes.subarray(at + LENGTHS_BYTES, keyEnd), bytes.subarray(keyEnd, end)]);
    at = end;
  }
  return entries;
}

/** Throws RangeError if this release cannot restore a history line of a backup. */
export function checkHistoryLine({ path, entries }: BackupHistory): void {
  if (path === KEY_PATH) {
    const { length } = Buffer.from(entries, 'base64');
    if (length !== KEY_BYTES) throw new RangeError(`history.key has ${length} bytes instead of ${KEY_BYTES}`);
    return;
  }
  if (!isHistoryPath(path)) throw new RangeError(`"${path}" is not a directory of the history`);
  unpacked(entries);
}

/**
 * Yields the backup lines of a history: its secret key and its entries. `read` reads a directory. `paths`: the
 * directories to read; by default, all.
 */
export async function* historyLines(
  directory: string,
  key: Buffer,
  read: ReadDirectory,
  paths?: ReadonlySet<string>,
): AsyncGenerator<BackupHistory> {
  yield keyLine(key);
  for (const path of historyPaths(directory).filter(isHistoryPath)) {
    if (paths && !paths.has(path)) continue;
    for (let after: Buffer | undefined = FIRST; after; ) {
      const start: Buffer = after;
      const page: BinaryEntry[] = (await read(path, db => readPage(db, start))) ?? [];
      if (page.length > 0) yield historyLine(path, page);
      after = page.length === PAGE ? page.at(-1)?.[0] : undefined;
    }
  }
}

/** Writes the history lines of a backup to a new history. The lines must be in the order of `historyLines`. */
export class RestoredHistory {
  readonly #directory: string;
  #path = '';
  #db: LevelDb | undefined;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /**
   * Writes a history line of a backup to the new history. Rejects with RangeError if the line is damaged, and with the
   * error of LevelDB if the write fails.
   */
  async add(line: BackupHistory): Promise<void> {
    checkHistoryLine(line);
    mkdirSync(this.#directory, { recursive: true });
    if (line.path === KEY_PATH) return writeHistoryKey(this.#directory, Buffer.from(line.entries, 'base64'));
    const db = await this.#open(line.path);
    await db.writeDurably(unpacked(line.entries).map(([key, value]) => ({ type: 'put', key, value })));
  }

  /**
   * Compares a history line of a backup with the new history, into which the backup was restored. Resolves to false if
   * an entry differs.
   */
  async equals(line: BackupHistory): Promise<boolean> {
    if (line.path === KEY_PATH) return readHistoryKey(this.#directory)?.toString('base64') === line.entries;
    const entries = unpacked(line.entries);
    const values = await (await this.#open(line.path)).getMany(entries.map(([key]) => key));
    return entries.every(([, value], i) => values[i]?.equals(value) === true);
  }

  /** Closes the open LevelDB directory, if any. Only the directory that was written or read last is open. */
  async close(): Promise<void> {
    await this.#db?.close();
    this.#db = undefined;
    this.#path = '';
  }

  async #open(path: string): Promise<LevelDb> {
    if (this.#db && this.#path === path) return this.#db;
    await this.close();
    createHistoryDirectory(this.#directory, path);
    this.#db = await LevelDb.open(join(this.#directory, path));
    this.#path = path;
    return this.#db;
  }
}

/** Reads a history directory while no core is using it. */
export class OfflineHistory {
  readonly #directory: string;
  readonly #copy: string | undefined;
  readonly #onFault: (fault: string) => void;
  #path = '';
  #db: LevelDb | undefined;

  /**
   * `copy`: path for a temporary copy of a directory. LevelDB changes the files of each directory that it opens.
   * Therefore each directory is copied to this path, and LevelDB opens only the copy. If `copy` is undefined, LevelDB
   * opens the original directories. `onFault`: called with a description of each unreadable directory.
   */
  constructor(directory: string, copy: string | undefined, onFault: (fault: string) => void) {
    this.#directory = directory;
    this.#copy = copy;
    this.#onFault = onFault;
  }

  /**
   * Yields backup lines with all readable entries of the history. `paths`: the directories to include; by default, all.
   * Yields nothing if the secret key of the history cannot be read.
   */
  async *lines(paths?: ReadonlySet<string>): AsyncGenerator<BackupHistory> {
    const key = this.#readKey();
    if (key) yield* historyLines(this.#directory, key, (path, work) => this.#read(path, work), paths);
  }

  /** Closes the history, and deletes the copies of its directories. */
  async close(): Promise<void> {
    await this.#db?.close();
    this.#db = undefined;
    if (this.#copy !== undefined) rmSync(this.#copy, { recursive: true, force: true });
  }

  #readKey(): Buffer | undefined {
    try {
      const key = readHistoryKey(this.#directory);
      if (!key && historyPaths(this.#directory).length > 0)
        this.#onFault('the history cannot be read: its history.key is missing');
      return key;
    } catch (error) {
      this.#onFault(`the history cannot be read: ${error instanceof Error ? error.message : String(error)}`);
      return undefined;
    }
  }

  async #read<T>(path: string, work: (db: LevelDb) => Promise<T>): Promise<T | undefined> {
    try {
      if (path !== this.#path) await this.#open(path);
      return this.#db && (await work(this.#db));
    } catch (error) {
      this.#onFault(
        `the history ${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`,
      );
      return undefined;
    }
  }

  async #open(path: string): Promise<void> {
    await this.close();
    this.#path = path;
    this.#db = await LevelDb.open(this.#copied(join(this.#directory, path)));
  }

  #copied(directory: string): string {
    if (this.#copy === undefined) return directory;
    cpSync(directory, this.#copy, { recursive: true, mode: constants.COPYFILE_FICLONE });
    rmSync(join(this.#copy, 'LOCK'), { force: true });
    return this.#copy;
  }
}
