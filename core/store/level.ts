import { mkdirSync } from 'node:fs';
import leveldown from 'leveldown';
import levelup, { type LevelUp, type Operation } from 'levelup';

export type { Operation };

/** How much unsynced work may gather before it is written, and for how long. */
const GROUP_OPERATIONS = 200;
const GROUP_MS = 5;
/**
 * Table files are mapped into memory and count as this process's, so: as few open as LevelDB can do with (64 and what
 * it needs besides), and small ones.
 */
const OPEN_OPTIONS = { maxOpenFiles: 74, maxFileSize: 1024 * 1024 };
/** Read at once where everything is read. */
const READ_AHEAD_BYTES = 1024 * 1024;

interface Waiting {
  resolve(): void;
  reject(error: Error): void;
}

interface Group {
  operations: Operation[];
  /** Whoever asked for durability; the group is synced where there is anyone. */
  waiting: Waiting[];
}

const emptyGroup = (): Group => ({ operations: [], waiting: [] });

function openEngine(directory: string): Promise<LevelUp> {
  return new Promise((resolve, reject) => {
    // The callback form: a failed open otherwise hangs or kills the process.
    levelup(leveldown(directory), OPEN_OPTIONS, (error, db) => (error ? reject(error) : resolve(db)));
  });
}

function closeEngine(db: LevelUp): Promise<void> {
  return new Promise((resolve, reject) => {
    db.close(error => (error ? reject(error) : resolve()));
  });
}

/**
 * The one LevelDB of a core: a single writer with group commit. The only file that knows the engine; levelup and
 * leveldown are superseded by classic-level, which opens the same directory.
 */
export class Level {
  readonly #directory: string;
  #db: LevelUp;
  readonly #onFailure: (error: Error) => void;
  #group = emptyGroup();
  #writing = false;
  #timer: NodeJS.Timeout | undefined;
  #failure: Error | undefined;
  #idle: (() => void) | undefined;

  private constructor(directory: string, db: LevelUp, onFailure: (error: Error) => void) {
    this.#directory = directory;
    this.#db = db;
    this.#onFailure = onFailure;
  }

  /**
   * Opens or creates the directory. Rejects with what is wrong and where; a second process is refused by
   * LevelDB's lock. `onFailure` is told once of the first write error: from then on nothing is written or
   * acknowledged, because after one the engine accepts writes that are gone on reopening.
   */
  static async open(directory: string, onFailure: (error: Error) => void): Promise<Level> {
    try {
      mkdirSync(directory, { recursive: true });
      return new Level(directory, await openEngine(directory), onFailure);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new Error(`cannot open the store in ${directory}: ${reason}`, { cause: error });
    }
  }

  /** Whether writes are still taken. */
  get healthy(): boolean {
    return this.#failure === undefined;
  }

  /** Writes all operations or none, and resolves when they are on disk (fsync). Rejects once the store has failed. */
  commit(operations: readonly Operation[]): Promise<void> {
    if (this.#failure) return Promise.reject(this.#failure);
    return new Promise((resolve, reject) => {
      this.#group.operations.push(...operations);
      this.#group.waiting.push({ resolve, reject });
      this.#schedule();
    });
  }

  /**
   * Writes soon, in order with everything else, without waiting for the disk: for what a kill of this process must
   * not lose but a power cut may. Dropped once the store has failed, which `onFailure` has told.
   */
  append(operation: Operation): void {
    if (this.#failure) return;
    this.#group.operations.push(operation);
    this.#schedule();
  }

  /** Every entry whose key starts with `prefix`, in order of keys; with `after`, those behind that key. */
  async *entries(prefix: string, after = ''): AsyncGenerator<[key: string, value: Buffer]> {
    const from = after > prefix ? `${after}\0` : prefix;
    const iterator = this.#db.iterator({ gte: from, lt: `${prefix}\xff` });
    try {
      for (;;) {
        const entry = await new Promise<[string, Buffer] | undefined>((resolve, reject) => {
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
   * Calls `visit` with every entry whose key starts with `prefix`, in order of keys: for very many, without a promise
   * or a wait for each. Rejects with what `visit` throws.
   */
  async each(prefix: string, visit: (key: string, value: Buffer) => void): Promise<void> {
    const iterator = this.#db.iterator({ gte: prefix, lt: `${prefix}\xff`, highWaterMark: READ_AHEAD_BYTES });
    try {
      await new Promise<void>((resolve, reject) => {
        const next = (): void => {
          iterator.next((error, key, value) => {
            if (error) reject(error);
            else if (!key || !value) resolve();
            else {
              try {
                visit(key.toString(), value);
              } catch (refusal) {
                reject(refusal);
                return;
              }
              next();
            }
          });
        };
        next();
      });
    } finally {
      await new Promise<void>(resolve => iterator.end(() => resolve()));
    }
  }

  /** Writes what is waiting and closes the engine. */
  async close(): Promise<void> {
    await this.#written();
    await closeEngine(this.#db);
  }

  /**
   * Closes the engine and opens it again, which lets go of the tables that a walk over everything has mapped: of a
   * million servers 0.1 GB. What is written meanwhile waits. Rejects as `open` does.
   */
  async reopen(): Promise<void> {
    await this.#written();
    this.#writing = true;
    await closeEngine(this.#db);
    this.#db = await openEngine(this.#directory);
    this.#writing = false;
    this.#flush();
  }

  /** Resolves when nothing is waiting to be written. */
  async #written(): Promise<void> {
    if (this.#group.operations.length === 0 && !this.#writing) return;
    await new Promise<void>(resolve => {
      this.#idle = resolve;
      this.#flush();
    });
    this.#idle = undefined;
  }

  #schedule(): void {
    if (this.#writing) return;
    if (this.#group.waiting.length > 0 || this.#group.operations.length >= GROUP_OPERATIONS) this.#flush();
    else this.#timer ??= setTimeout(() => this.#flush(), GROUP_MS);
  }

  #flush(): void {
    if (this.#writing) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const group = this.#group;
    if (group.operations.length === 0) {
      this.#idle?.();
      return;
    }
    this.#group = emptyGroup();
    this.#writing = true;
    this.#db.batch(group.operations, { sync: group.waiting.length > 0 }, error => {
      this.#writing = false;
      if (error) {
        this.#fail(error, group);
        return;
      }
      for (const waiting of group.waiting) waiting.resolve();
      // What gathered while this group was on its way is due at once.
      this.#flush();
    });
  }

  #fail(cause: Error, group: Group): void {
    const failure = new Error(`the store refused a write and takes no more: ${cause.message}`);
    this.#failure = failure;
    for (const waiting of [...group.waiting, ...this.#group.waiting]) waiting.reject(failure);
    this.#group = emptyGroup();
    this.#idle?.();
    this.#onFailure(failure);
  }
}
