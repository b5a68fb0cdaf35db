import leveldown from 'leveldown';
import levelup, { type LevelUp, type OpenOptions, type Operation } from 'levelup';
import type { StoredEntry } from '../storage-engine.ts';

/** A write or a deletion of one LevelDB entry. The key is text or bytes. */
export type LevelOperation = Operation;
/** A key and its value in a LevelDB directory, both as bytes. */
export type BinaryEntry = readonly [key: Buffer, value: Buffer];

/**
 * Options that limit the memory for open table files, because LevelDB maps these files into memory. Therefore only few
 * files are open, and they are small. The minimum of `maxOpenFiles` in LevelDB is 74: 64 table files and 10 other
 * files.
 */
const OPEN_OPTIONS: OpenOptions = { maxOpenFiles: 74, maxFileSize: 1024 * 1024 };
/** Number of bytes that LevelDB reads ahead when a whole range of keys is read. */
const READ_AHEAD_BYTES = 1024 * 1024;
/**
 * Matches error messages of LevelDB that mean damaged or missing files. Does not match messages about a held lock, a
 * full disk or missing permissions.
 */
const DAMAGED = /corruption|No such file|missing file|CURRENT file/i;

/** A key that sorts before all stored keys, and a key that sorts after them. */
const FIRST_KEY = Buffer.alloc(0);
const LAST_KEY = Buffer.alloc(64, 0xff);

/** True if an error of LevelDB means that files are damaged or missing. */
export function saysDamaged(error: unknown): boolean {
  return error instanceof Error && DAMAGED.test(error.message);
}

function openDatabase(directory: string, options: OpenOptions): Promise<LevelUp> {
  return new Promise((resolve, reject) => {
    // Opens the database with the callback form of `levelup`. With its promise form, a failed opening hangs or crashes
    // the process.
    levelup(leveldown(directory), options, (error, db) => (error ? reject(error) : resolve(db)));
  });
}

/**
 * An open LevelDB directory. Only this file uses the packages levelup and leveldown. They are superseded by
 * classic-level, which can open the same directories.
 */
export class LevelDb {
  readonly #db: LevelUp;
  #isOpen = true;

  private constructor(db: LevelUp) {
    this.#db = db;
  }

  /**
   * Opens or creates a LevelDB directory. `cacheBytes`: size of LevelDB's cache of uncompressed blocks. Rejects with
   * LevelDB's own error.
   */
  static async open(directory: string, cacheBytes?: number): Promise<LevelDb> {
    const options = cacheBytes === undefined ? OPEN_OPTIONS : { ...OPEN_OPTIONS, cacheSize: cacheBytes };
    return new LevelDb(await openDatabase(directory, options));
  }

  /**
   * Checks that no process has the LevelDB directory open. Rejects if a process has it open; this process counts too.
   * On a read-only file system, always resolves, because no process can open a LevelDB directory there.
   */
  static async checkLock(directory: string): Promise<void> {
    try {
      await openDatabase(directory, { ...OPEN_OPTIONS, errorIfExists: true });
    } catch (error) {
      if (!(error instanceof Error && /error_if_exists|read-only file system/i.test(error.message)))
        throw error;
    }
  }

  /**
   * Rebuilds the manifest of a directory from its tables and logs. Changes the files, and drops data that cannot be
   * read.
   */
  static repair(directory: string): Promise<void> {
    return new Promise((resolve, reject) => {
      leveldown.repair(directory, error => (error ? reject(error) : resolve()));
    });
  }

  /** True until `close` is called. Reading or writing a closed LevelDB can crash the process. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /**
   * Writes all operations or none of them. Copies the operations before it returns, so the caller can change them
   * afterwards. Calls `done` after the write, or with the error of the write. If `sync` is true, `done` is called only
   * when the data is on disk (fsync).
   */
  write(operations: readonly LevelOperation[], sync: boolean, done: (error?: Error | null) => void): void {
    this.#db.batch(operations, { sync }, done);
  }

  /**
   * Executes writes and deletions in LevelDB, as `write` does. Resolves only when the changes are durable (after
   * fsync). Rejects with LevelDB's own error.
   */
  writeDurably(operations: readonly LevelOperation[]): Promise<void> {
    return new Promise((resolve, reject) => {
      this.write(operations, true, error => (error ? reject(error) : resolve()));
    });
  }

  /** Returns the values of some keys, in the same order. The value of a key that is not stored is undefined. */
  getMany(keys: readonly Buffer[]): Promise<(Buffer | undefined)[]> {
    return new Promise((resolve, reject) => {
      this.#db.getMany(keys, (error, values) => (error ? reject(error) : resolve(values)));
    });
  }

  /** Returns at most `limit` entries from the key `from` up to, but not including, the key `to`, in key order. */
  async readRange(from: Buffer, to: Buffer, limit: number): Promise<BinaryEntry[]> {
    const iterator = this.#db.iterator({ gte: from, lt: to, limit });
    const found: BinaryEntry[] = [];
    try {
      await new Promise<void>((resolve, reject) => {
        const next = (): void => {
          iterator.next((error, key, value) => {
            if (error) return reject(error);
            if (!key || !value) return resolve();
            found.push([key, value]);
            next();
          });
        };
        next();
      });
      return found;
    } finally {
      await new Promise<void>(resolve => iterator.end(() => resolve()));
    }
  }

  /**
   * Calls `visit` with each entry from the key `from` up to, but not including, the key `to`, in key order. Rejects
   * with the error that `visit` throws.
   */
  async readAll(from: string, to: string, visit: (key: string, value: Buffer) => void): Promise<void> {
    const iterator = this.#db.iterator({ gte: from, lt: to, highWaterMark: READ_AHEAD_BYTES });
    try {
      await new Promise<void>((resolve, reject) => {
        const next = (): void => {
          iterator.next((error, key, value) => {
            if (error) return reject(error);
            if (!key || !value) return resolve();
            try {
              visit(key.toString(), value);
            } catch (thrown) {
              return reject(thrown);
            }
            next();
          });
        };
        next();
      });
    } finally {
      await new Promise<void>(resolve => iterator.end(() => resolve()));
    }
  }

  /**
   * Yields the entries from the key `from` up to, but not including, the key `to`, in key order. The entries are a
   * snapshot: later writes do not change them.
   */
  async *entries(from: string, to: string): AsyncGenerator<StoredEntry, undefined> {
    const iterator = this.#db.iterator({ gte: from, lt: to });
    try {
      for (;;) {
        const entry = await new Promise<StoredEntry | undefined>((resolve, reject) => {
          iterator.next((error, key, value) => {
            if (error) reject(error);
            else resolve(key && value ? [key.toString(), value] : undefined);
          });
        });
        if (!entry) return;
        yield entry;
      }
    } finally {
      await new Promise<void>(resolve => iterator.end(() => resolve()));
    }
  }

  /**
   * Rewrites all tables of the database, so that replaced and deleted entries take no space on disk. Reads and writes
   * continue. Do not close the database before the promise resolves.
   */
  compact(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#db.compactRange(FIRST_KEY, LAST_KEY, error => (error ? reject(error) : resolve()));
    });
  }

  /** Closes the database. Further calls do nothing. */
  async close(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    await new Promise<void>((resolve, reject) => {
      this.#db.close(error => (error ? reject(error) : resolve()));
    });
  }
}
