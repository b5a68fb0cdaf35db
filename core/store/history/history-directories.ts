import { existsSync, mkdirSync, readdirSync, renameSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { syncDirectory } from '../../../runtime/sync-directory.ts';
import { LevelDb, saysDamaged } from '../leveldb/leveldb.ts';
import { TIERS } from './periods.ts';

/**
 * Number of LevelDB directories that stay open although nobody uses them: all that the default retention needs. Opening
 * one takes about 15 ms, because LevelDB writes a new log and manifest. With six, a read of a month took 195 ms instead
 * of 3 ms (`npm run test:history -- cost` measures it). Each keeps four files open. LevelDB maps tables into memory, and
 * closes their files.
 */
const IDLE_OPEN = 40;
const CACHE_BYTES = 128 * 1024;
/** Name of the directory to which a directory is moved before its files are deleted. */
const DELETED = 'deleted';
/** Name of the directory to which damaged directories are moved. gsq does not read them again. */
export const DAMAGED = 'damaged';

/** Names of the directories of a history that contain LevelDB directories. */
export const TIER_DIRECTORIES = [...TIERS, 'removed'];

interface Handle {
  readonly db: Promise<LevelDb>;
  users: number;
  /** True after a failed write. LevelDB then refuses all further writes, so the directory must be opened again. */
  isPoisoned: boolean;
  /** Called when the last user of the directory has finished. */
  onIdle: () => void;
}

/**
 * The LevelDB directories of the history. A directory is opened when it is first used. A damaged directory is moved
 * aside, so that damage of the history never stops the core.
 */
export class HistoryDirectories {
  readonly #root: string;
  readonly #onDamage: (path: string, movedTo: string, error: unknown) => void;
  /** The open directories, keyed by path. The most recently used one is at the end. */
  readonly #handles = new Map<string, Handle>();
  /**
   * The directories that are being closed or moved, keyed by path. Whoever wants to use such a directory waits for its
   * promise.
   */
  readonly #closing = new Map<string, Promise<void>>();
  readonly #known: Set<string>;

  constructor(root: string, onDamage: (path: string, movedTo: string, error: unknown) => void) {
    this.#root = root;
    this.#onDamage = onDamage;
    mkdirSync(root, { recursive: true });
    this.#known = new Set(historyPaths(root));
  }

  /** Paths of all LevelDB directories of the history, such as `minutes/2026-11-24T06`. */
  get paths(): Iterable<string> {
    return this.#known;
  }

  /** True if the LevelDB directory with this path exists. */
  has(path: string): boolean {
    return this.#known.has(path);
  }

  /** Number of LevelDB directories of the history. */
  get count(): number {
    return this.#known.size;
  }

  /**
   * Opens a directory if necessary, and calls `work` with its database. Resolves to the result of `work`, or to
   * undefined if the directory does not exist. Rejects if LevelDB cannot open the directory, or if `work` rejects.
   */
  async read<T>(path: string, work: (db: LevelDb) => Promise<T>): Promise<T | undefined> {
    if (!this.#known.has(path)) return undefined;
    try {
      return await this.#use(path, work);
    } catch (error) {
      if (!saysDamaged(error)) throw error;
      await this.#moveAside(path, error);
      return undefined;
    } finally {
      await this.#closeIdle();
    }
  }

  /**
   * Does the same as `read`, but creates the directory if it does not exist. After an error, the next use opens the
   * directory again.
   */
  async write(path: string, work: (db: LevelDb) => Promise<void>): Promise<void> {
    if (!this.#known.has(path)) {
      mkdirSync(join(this.#root, path), { recursive: true });
      this.#known.add(path);
    }
    try {
      await this.#use(path, work);
    } catch (error) {
      const handle = this.#handles.get(path);
      if (handle) handle.isPoisoned = true;
      if (saysDamaged(error)) await this.#moveAside(path, error);
      throw error;
    } finally {
      await this.#closeIdle();
    }
  }

  /** Deletes a LevelDB directory with all its files. */
  async delete(path: string): Promise<void> {
    if (!this.#known.delete(path)) return;
    let gone = '';
    await this.#close(path, () => {
      gone = this.#move(path, DELETED);
    });
    await rm(gone, { recursive: true, force: true });
  }

  /** Deletes the remaining files of directories whose deletion was interrupted. */
  async deleteRest(): Promise<void> {
    await rm(join(this.#root, DELETED), { recursive: true, force: true });
  }

  /** Closes all open LevelDB directories. */
  async close(): Promise<void> {
    for (const path of [...this.#handles.keys()]) await this.#close(path);
  }

  async #use<T>(path: string, work: (db: LevelDb) => Promise<T>): Promise<T> {
    const handle = await this.#take(path);
    try {
      return await work(await handle.db);
    } finally {
      handle.users--;
      if (handle.users === 0) handle.onIdle();
    }
  }

  /** Adds a user to a directory, and returns the handle of the directory. Opens the directory if necessary. */
  async #take(path: string): Promise<Handle> {
    for (;;) {
      const closing = this.#closing.get(path);
      if (closing) {
        await closing;
        continue;
      }
      const open = this.#handles.get(path);
      if (open?.isPoisoned && open.users === 0) {
        await this.#close(path);
        continue;
      }
      const handle = open ?? this.#open(path);
      handle.users++;
      this.#handles.delete(path);
      this.#handles.set(path, handle);
      return handle;
    }
  }

  #open(path: string): Handle {
    const db = LevelDb.open(join(this.#root, path), CACHE_BYTES);
    const handle: Handle = { db, users: 0, isPoisoned: false, onIdle: () => {} };
    db.catch(() => {
      if (this.#handles.get(path) === handle) this.#handles.delete(path);
    });
    return handle;
  }

  async #closeIdle(): Promise<void> {
    const idle = [...this.#handles].filter(([, { users }]) => users === 0);
    for (const [path] of idle.slice(0, Math.max(0, idle.length - IDLE_OPEN))) await this.#close(path);
  }

  /**
   * Closes a directory when all its users have finished, and then calls `work`. Nobody can open the directory before
   * `work` has returned.
   */
  async #close(path: string, work: () => void = () => {}): Promise<void> {
    await this.#closing.get(path);
    const closed = this.#closeHandle(this.#handles.get(path))
      .then(work)
      .finally(() => {
        this.#handles.delete(path);
        this.#closing.delete(path);
      });
    const settled = closed.catch(() => {});
    this.#closing.set(path, settled);
    return closed;
  }

  async #closeHandle(handle: Handle | undefined): Promise<void> {
    if (!handle) return;
    if (handle.users > 0)
      await new Promise<void>(resolve => {
        handle.onIdle = resolve;
      });
    const db = await handle.db.catch(() => undefined);
    await db?.close().catch(() => {});
  }

  async #moveAside(path: string, error: unknown): Promise<void> {
    if (!this.#known.delete(path)) return;
    let moved = '';
    await this.#close(path, () => {
      moved = this.#move(path, DAMAGED);
    });
    this.#onDamage(path, moved, error);
  }

  /** Moves a LevelDB directory into the directory `into` of the history, and returns its new path. */
  #move(path: string, into: string): string {
    const parent = join(this.#root, into);
    mkdirSync(parent, { recursive: true });
    const name = path.replace('/', '-');
    let target = join(parent, name);
    for (let i = 1; existsSync(target); i++) target = join(parent, `${name}.${i}`);
    renameSync(join(this.#root, path), target);
    syncDirectory(parent);
    return target;
  }
}

/** Returns the paths of the LevelDB directories of a history, such as `minutes/2026-11-24T06`. */
export function historyPaths(root: string): string[] {
  return TIER_DIRECTORIES.flatMap(tier => {
    const directory = join(root, tier);
    return existsSync(directory) ? readdirSync(directory).map(name => `${tier}/${name}`) : [];
  });
}
