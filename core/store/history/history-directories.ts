import { existsSync, mkdirSync, readdirSync, renameSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { syncDirectory } from '../../../runtime/sync-directory.ts';
import { LevelDb, saysDamaged } from '../leveldb/leveldb.ts';
import { TIERS } from './periods.ts';

/**
 * Number of unused LevelDB directories that stay open. With the default retention, 40 are enough to read a month in 3
 * ms; with only six, this read takes 195 ms. Each open directory uses four file descriptors.
 */
const IDLE_OPEN = 40;
const CACHE_BYTES = 128 * 1024;
/** Number of failed attempts after which a directory that cannot be opened is moved to `damaged`. */
const MOST_FAILED_OPENS = 20;
/**
 * Matches LevelDB errors that can concern a single directory. Errors that concern all directories, such as a full disk,
 * do not match.
 */
const LASTING =
  /Input\/output error|Is a directory|Not a directory|Permission denied|Structure needs cleaning/i;
/** Name of the directory to which LevelDB directories of the history are moved before they are deleted. */
const DELETED = 'deleted';
/**
 * Name of the directory to which damaged LevelDB directories of the history are moved. gsq does not read them again.
 */
export const DAMAGED = 'damaged';

/** Names of the subdirectories of a history. Each contains the LevelDB directories for one kind of data. */
export const TIER_DIRECTORIES = [...TIERS, 'removed'];

interface Handle {
  readonly db: Promise<LevelDb>;
  users: number;
  /** Called when the last read or write of the LevelDB directory has finished. `#closeHandle` sets this function. */
  onIdle: () => void;
}

/**
 * The LevelDB directories of the history. A directory is opened at its first use. A damaged directory is moved aside,
 * so it never stops the core. This file has more than 300 lines, because opening, closing and moving share state.
 */
export class HistoryDirectories {
  readonly #root: string;
  readonly #onDamage: (path: string, movedTo: string, error: unknown) => void;
  /**
   * The open LevelDB directories of the history, keyed by path, the most recently used last. Contains no directory that
   * is being closed.
   */
  readonly #handles = new Map<string, Handle>();
  /**
   * The directories of the history that are being closed or moved, keyed by path. When the promise of a directory
   * resolves, the directory can be opened again.
   */
  readonly #closing = new Map<string, Promise<void>>();
  readonly #known: Set<string>;
  /**
   * Names of the damaged LevelDB directories in `damaged`, without the number at the end that makes each name unique.
   */
  readonly #lost: Set<string>;
  /**
   * Failed attempts to open LevelDB directories, keyed by path. `count`: number of failures that were counted.
   * `written`: number of successful writes to the history (`#written`) when the last failure was counted.
   */
  readonly #failedOpens = new Map<string, { readonly count: number; readonly written: number }>();
  /** Number of successful writes to the history, summed over all its directories. */
  #written = 0;
  /** Number of writes to each directory since this object was created. Failed writes count too. */
  readonly #versions = new Map<string, number>();

  constructor(root: string, onDamage: (path: string, movedTo: string, error: unknown) => void) {
    this.#root = root;
    this.#onDamage = onDamage;
    mkdirSync(root, { recursive: true });
    for (const tier of strayFiles(root))
      onDamage(tier, this.#move(tier, DAMAGED), new Error(`${tier} is not a directory`));
    this.#known = new Set(historyPaths(root));
    const damaged = join(root, DAMAGED);
    const names = isDirectory(damaged) ? readdirSync(damaged) : [];
    this.#lost = new Set(names.map(name => name.replace(/\.\d+$/, '')));
  }

  /** Paths of all LevelDB directories of the history, such as `minutes/2026-11-24T06`. */
  get paths(): Iterable<string> {
    return this.#known;
  }

  /** True if the LevelDB directory with this path exists. */
  has(path: string): boolean {
    return this.#known.has(path);
  }

  /**
   * True if the LevelDB directory at this path was damaged and moved to `damaged`. A newer directory at the same path
   * does not contain the lost data.
   */
  isLost(path: string): boolean {
    return this.#lost.has(nameOf(path));
  }

  /** Returns a version number for each directory. The number changes after each write to the directory. */
  versions(): Map<string, number> {
    return new Map(Array.from(this.#known, path => [path, this.#versions.get(path) ?? 0]));
  }

  /** Number of LevelDB directories of the history. */
  get count(): number {
    return this.#known.size;
  }

  /**
   * Calls `work` with the database of a history directory, and resolves to the result of `work`. Resolves to undefined
   * if the directory does not exist or is damaged. Rejects if LevelDB cannot open it, or if `work` rejects.
   */
  async read<T>(path: string, work: (db: LevelDb) => Promise<T>): Promise<T | undefined> {
    try {
      const handle = await this.#take(path);
      return handle && (await this.#use(handle, work));
    } catch (error) {
      if (!this.#isUnusable(path, error)) throw error;
      await this.#moveAside(path, error);
      return undefined;
    } finally {
      await this.#closeIdle();
    }
  }

  /**
   * Opens or creates a directory of the history, and calls `work` to write to it. After a failed write, closes the
   * directory, because LevelDB then refuses all writes until it is opened again.
   */
  async write(path: string, work: (db: LevelDb) => Promise<void>): Promise<void> {
    try {
      await this.#use(await this.#takeOrCreate(path), work);
      this.#written++;
    } catch (error) {
      if (this.#isUnusable(path, error)) await this.#moveAside(path, error);
      else await this.#close(path);
      throw error;
    } finally {
      this.#versions.set(path, (this.#versions.get(path) ?? 0) + 1);
      await this.#closeIdle();
    }
  }

  /** Deletes a LevelDB directory with all its files. */
  async delete(path: string): Promise<void> {
    const moved = await this.#moveInto(DELETED, path);
    if (moved !== undefined) await rm(moved, { recursive: true, force: true });
  }

  /** Deletes the remaining files of directories whose deletion was interrupted. */
  async deleteRest(): Promise<void> {
    await rm(join(this.#root, DELETED), { recursive: true, force: true });
  }

  /** Closes all open LevelDB directories of the history. */
  async close(): Promise<void> {
    for (const path of [...this.#handles.keys()]) await this.#close(path);
  }

  async #use<T>(handle: Handle, work: (db: LevelDb) => Promise<T>): Promise<T> {
    try {
      return await work(await handle.db);
    } finally {
      handle.users--;
      if (handle.users === 0) handle.onIdle();
    }
  }

  /**
   * Counts one more user (a read or write) of a LevelDB directory of the history. Returns the handle of the directory,
   * or undefined if there is no such directory.
   */
  async #take(path: string): Promise<Handle | undefined> {
    while (this.#closing.has(path)) await this.#closing.get(path);
    return this.#known.has(path) ? this.#addUser(path) : undefined;
  }

  async #takeOrCreate(path: string): Promise<Handle> {
    while (this.#closing.has(path)) await this.#closing.get(path);
    if (!this.#known.has(path)) {
      createHistoryDirectory(this.#root, path);
      this.#known.add(path);
    }
    return this.#addUser(path);
  }

  #addUser(path: string): Handle {
    const handle = this.#handles.get(path) ?? this.#open(path);
    handle.users++;
    this.#handles.delete(path);
    this.#handles.set(path, handle);
    return handle;
  }

  #open(path: string): Handle {
    const db = LevelDb.open(join(this.#root, path), CACHE_BYTES);
    const handle: Handle = { db, users: 0, onIdle: () => {} };
    db.then(
      () => this.#failedOpens.delete(path),
      error => {
        if (this.#handles.get(path) === handle) this.#handles.delete(path);
        this.#countFailedOpen(path, error);
      },
    );
    return handle;
  }

  /**
   * Counts a failed attempt to open a LevelDB directory, but only if a write to the history has succeeded since the
   * last counted failure. If no write succeeds, perhaps the whole disk is faulty.
   */
  #countFailedOpen(path: string, error: unknown): void {
    const { count, written } = this.#failedOpens.get(path) ?? { count: 0, written: -1 };
    if (written === this.#written || !(error instanceof Error && LASTING.test(error.message))) return;
    this.#failedOpens.set(path, { count: count + 1, written: this.#written });
  }

  /**
   * True if LevelDB reports that a directory of the history is damaged, or if MOST_FAILED_OPENS attempts to open it
   * have failed.
   */
  #isUnusable(path: string, error: unknown): boolean {
    return saysDamaged(error) || (this.#failedOpens.get(path)?.count ?? 0) >= MOST_FAILED_OPENS;
  }

  /** Closes unused LevelDB databases, the least recently used first. Leaves at most IDLE_OPEN unused ones open. */
  async #closeIdle(): Promise<void> {
    for (;;) {
      const idle = [...this.#handles].filter(([, { users }]) => users === 0);
      const [first] = idle;
      if (!first || idle.length <= IDLE_OPEN) return;
      await this.#close(first[0]);
    }
  }

  /**
   * Closes a LevelDB directory after its last read or write, and then calls `work`. Until `work` has returned, the
   * directory cannot be opened again.
   */
  async #close(path: string, work: () => void = () => {}): Promise<void> {
    while (this.#closing.has(path)) await this.#closing.get(path);
    const handle = this.#handles.get(path);
    this.#handles.delete(path);
    const closed = this.#closeHandle(handle).then(work);
    const settled = closed.catch(() => {}).finally(() => this.#closing.delete(path));
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
    const moved = await this.#moveInto(DAMAGED, path);
    if (moved === undefined) return;
    this.#lost.add(nameOf(path));
    this.#onDamage(path, moved, error);
  }

  /**
   * Closes and moves a directory. Resolves to its new path, or to undefined if the directory does not exist. If the
   * directory cannot be moved, it stays in its place, and the promise rejects.
   */
  async #moveInto(into: string, path: string): Promise<string | undefined> {
    if (!this.#known.delete(path)) return undefined;
    this.#failedOpens.delete(path);
    let moved = '';
    try {
      await this.#close(path, () => {
        moved = this.#move(path, into);
        this.#known.delete(path);
      });
    } catch (error) {
      this.#known.add(path);
      throw error;
    }
    return moved;
  }

  /** Moves a LevelDB directory of the history into the directory `into`, and returns its new path. */
  #move(path: string, into: string): string {
    const parent = join(this.#root, into);
    mkdirSync(parent, { recursive: true });
    const name = nameOf(path);
    let target = join(parent, name);
    for (let i = 1; existsSync(target); i++) target = join(parent, `${name}.${i}`);
    renameSync(join(this.#root, path), target);
    syncDirectory(parent);
    return target;
  }
}

/** Creates a LevelDB directory. Syncs its parent directories, so that the creation survives a power cut. */
export function createHistoryDirectory(root: string, path: string): void {
  const directory = join(root, path);
  if (mkdirSync(directory, { recursive: true }) === undefined) return;
  syncDirectory(dirname(directory));
  syncDirectory(root);
}

/** Returns the names of history directories, such as `minutes`, that wrongly exist as files. */
export function strayFiles(root: string): string[] {
  return TIER_DIRECTORIES.filter(tier => existsSync(join(root, tier)) && !isDirectory(join(root, tier)));
}

/** Returns the paths of the LevelDB directories of a history, such as `minutes/2026-11-24T06`. */
export function historyPaths(root: string): string[] {
  return TIER_DIRECTORIES.flatMap(tier => {
    const directory = join(root, tier);
    return isDirectory(directory) ? readdirSync(directory).map(name => `${tier}/${name}`) : [];
  });
}

/** Returns the name that a directory gets when it is moved to `damaged` or `deleted`. */
function nameOf(path: string): string {
  return path.replace('/', '-');
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
