import leveldown from 'leveldown';
import levelup, { type LevelUp, type OpenOptions } from 'levelup';
import type { Operation, StoredEntry } from '../storage-engine.ts';

/**
 * Table files are mapped into memory and count as this process's, so: as few open as LevelDB can work with (64 and what
 * it needs besides), and small ones.
 */
const OPEN_OPTIONS: OpenOptions = { maxOpenFiles: 74, maxFileSize: 1024 * 1024 };
/** Read ahead at once when a whole range is read. */
const READ_AHEAD_BYTES = 1024 * 1024;
/** LevelDB's words for files that are damaged or gone; not for a lock, a full disk or missing permissions. */
const DAMAGED = /corruption|No such file|missing file|CURRENT file/i;

/** Whether LevelDB says of an error that files are damaged or gone. */
export function saysDamaged(error: unknown): boolean {
  return error instanceof Error && DAMAGED.test(error.message);
}

function openDatabase(directory: string, options: OpenOptions): Promise<LevelUp> {
  return new Promise((resolve, reject) => {
    // The callback form: a failed open otherwise hangs or kills the process.
    levelup(leveldown(directory), options, (error, db) => (error ? reject(error) : resolve(db)));
  });
}

/**
 * An open LevelDB directory. The only file that knows levelup and leveldown, which are superseded by classic-level; that
 * opens the same directory.
 */
export class LevelDb {
  readonly #db: LevelUp;
  #isOpen = true;

  private constructor(db: LevelUp) {
    this.#db = db;
  }

  /** Opens or creates a directory. Rejects in LevelDB's words. */
  static async open(directory: string): Promise<LevelDb> {
    return new LevelDb(await openDatabase(directory, OPEN_OPTIONS));
  }

  /** Rejects if another process, or this one, has a directory open; looks at nothing but the lock. */
  static async checkLock(directory: string): Promise<void> {
    try {
      await openDatabase(directory, { ...OPEN_OPTIONS, errorIfExists: true });
    } catch (error) {
      if (!(error instanceof Error && /error_if_exists/.test(error.message))) throw error;
    }
  }

  /** Rebuilds the manifest of a directory from its tables and logs: changes files and drops what cannot be read. */
  static repair(directory: string): Promise<void> {
    return new Promise((resolve, reject) => {
      leveldown.repair(directory, error => (error ? reject(error) : resolve()));
    });
  }

  /** Reads and writes of a database that is closed may end the process. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Writes all operations or none; copies them before it returns. `sync`: `done` comes after fsync. */
  write(operations: readonly Operation[], sync: boolean, done: (error?: Error | null) => void): void {
    this.#db.batch(operations, { sync }, done);
  }

  /** Visits entries from the key `from` to before `to`, in order of keys. Rejects with what `visit` throws. */
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

  /** Entries from the key `from` to before `to`, in order of keys, as they were when the first was read. */
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

  /** Closes it, once. */
  async close(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    await new Promise<void>((resolve, reject) => {
      this.#db.close(error => (error ? reject(error) : resolve()));
    });
  }
}
