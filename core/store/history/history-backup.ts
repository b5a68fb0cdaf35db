import { constants, cpSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { BackupHistory } from '../../../proto/codec/backup-lines.ts';
import { type BinaryEntry, LevelDb } from '../leveldb/leveldb.ts';
import { createHistoryDirectory, historyPaths } from './history-directories.ts';
import { KEY_BYTES, readHistoryKey, writeHistoryKey } from './history-key.ts';
import { isHistoryPath } from './periods.ts';

/** Path of the backup line that contains the key of the history. */
const KEY_PATH = 'history.key';
/** Maximum number of history entries in one line of a backup. */
const PAGE = 500;
const FIRST = Buffer.alloc(0);
const LAST = Buffer.alloc(16, 0xff);
const LENGTHS_BYTES = 5;

/** Reads a LevelDB directory of a history. Resolves to undefined if the directory no longer exists. */
export type ReadDirectory = <T>(path: string, work: (db: LevelDb) => Promise<T>) => Promise<T | undefined>;

function packed(entries: readonly BinaryEntry[]): string {
  const parts = entries.flatMap(([key, value]) => {
    const lengths = Buffer.alloc(LENGTHS_BYTES);
    lengths.writeUInt8(key.length, 0);
    lengths.writeUInt32LE(value.length, 1);
    return [lengths, key, value];
  });
  return Buffer.concat(parts).toString('base64');
}

/** Returns the LevelDB entries of a backup line. Throws RangeError if the line is not complete. */
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
 * Yields the backup lines that contain the secret key and all entries of a history. `read` reads from a directory of
 * the history.
 */
export async function* historyLines(
  directory: string,
  key: Buffer,
  read: ReadDirectory,
): AsyncGenerator<BackupHistory> {
  yield { path: KEY_PATH, entries: key.toString('base64') };
  for (const path of historyPaths(directory).filter(isHistoryPath)) {
    let from: Buffer | undefined = FIRST;
    while (from !== undefined) {
      const start: Buffer = from;
      const page: BinaryEntry[] = (await read(path, db => db.readRange(start, LAST, PAGE))) ?? [];
      const last = page.at(-1);
      if (last) yield { path, entries: packed(page) };
      from = last && page.length === PAGE ? Buffer.concat([last[0], Buffer.of(0)]) : undefined;
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

  /** Compares a history line of a backup with the written history. Resolves to false if an entry differs. */
  async equals(line: BackupHistory): Promise<boolean> {
    if (line.path === KEY_PATH) return readHistoryKey(this.#directory)?.toString('base64') === line.entries;
    const entries = unpacked(line.entries);
    const values = await (await this.#open(line.path)).getMany(entries.map(([key]) => key));
    return entries.every(([, value], i) => values[i]?.equals(value) === true);
  }

  /** Closes the LevelDB directory that was written or read last. No other directory of the history is open. */
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

/**
 * Reads a history that no core uses. Copies each directory first and opens the copy, because LevelDB changes every
 * directory that it opens.
 */
export class CopiedHistory {
  readonly #directory: string;
  readonly #copy: string;
  readonly #onFault: (fault: string) => void;
  #path = '';
  #db: LevelDb | undefined;

  /**
   * `copy`: directory for the copies. `onFault`: called with a description if a directory cannot be read and is left
   * out.
   */
  constructor(directory: string, copy: string, onFault: (fault: string) => void) {
    this.#directory = directory;
    this.#copy = copy;
    this.#onFault = onFault;
  }

  /**
   * Yields the backup lines that contain all readable entries of the history. Yields nothing if the secret key of the
   * history cannot be read.
   */
  async *lines(): AsyncGenerator<BackupHistory> {
    const key = this.#readKey();
    if (key) yield* historyLines(this.#directory, key, (path, work) => this.#read(path, work));
  }

  /** Closes and deletes the copies of the history directories. */
  async close(): Promise<void> {
    await this.#db?.close();
    this.#db = undefined;
    rmSync(this.#copy, { recursive: true, force: true });
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
    cpSync(join(this.#directory, path), this.#copy, { recursive: true, mode: constants.COPYFILE_FICLONE });
    rmSync(join(this.#copy, 'LOCK'), { force: true });
    this.#db = await LevelDb.open(this.#copy);
  }
}
