import { statfs } from 'node:fs/promises';
import type { Logger } from '../../runtime/log.ts';
import type { Operation, StorageEngine } from './storage-engine.ts';
import { StoreDamage } from './store-damage.ts';

const TICK_MS = 1_000;
/**
 * Longest wait between two attempts to recover a store, in ticks of TICK_MS. The wait doubles after each failed
 * attempt.
 */
const LONGEST_PAUSE_TICKS = 30;
/**
 * After writes were refused for lack of disk space, they are accepted again only if the free space is at least
 * `minFreeBytes` times this factor. Without the factor, the store could change very often between accepting and
 * refusing writes.
 */
const RESUME_FACTOR = 1.25;

export interface StoreSupervisorDependencies {
  engine: StorageEngine;
  /** Folder with the files of the storage engine. */
  directory: string;
  /**
   * Minimum free space of the file system, in bytes. Writes are refused while less space is free. With the value 0,
   * writes are never refused.
   */
  minFreeBytes: number;
  /**
   * Compares the stored entries with the data in memory. Returns the operations that make the stored entries equal to
   * the data in memory. The data in memory is right, because it is exactly the acknowledged data.
   * `StorageEngine.recover` calls this function after a failed write.
   */
  compare(): Promise<Operation[]>;
  /** Retries writes that the storage engine refused earlier. Called once a second while the engine accepts writes. */
  writeDirty(): Promise<void>;
  log: Logger;
  /** Called when the storage engine has lost acknowledged writes. In this case the process must end. */
  onLost(error: Error): void;
  /** Returns the free bytes of the file system of a directory. Default: statfs. */
  freeBytes?: (directory: string) => Promise<number>;
}

async function available(directory: string): Promise<number> {
  const { bavail, bsize } = await statfs(directory);
  return bavail * bsize;
}

/**
 * Supervises a storage engine: refuses writes while its disk is nearly full or its files are gone, and recovers it
 * after a failed write. Fetches still work, because they need no disk.
 */
export class StoreSupervisor {
  readonly #dependencies: StoreSupervisorDependencies;
  readonly #freeBytes: (directory: string) => Promise<number>;
  #timer: NodeJS.Timeout | undefined;
  #check: Promise<void> | undefined;
  /** The error message for refused writes while too little space is free; undefined if enough space is free. */
  #low: string | undefined;
  /** The error message for refused writes while the files of the engine are gone; undefined if they are there. */
  #gone: string | undefined;
  /**
   * The error message for refused writes during a migration, and after the migration has moved the data. Undefined at
   * all other times.
   */
  #held: string | undefined;
  #attempts = 0;
  #ticksToWait = 0;
  #writeErrors = 0;
  #recoveries = 0;
  #free = Number.NaN;

  constructor(dependencies: StoreSupervisorDependencies) {
    this.#dependencies = dependencies;
    this.#freeBytes = dependencies.freeBytes ?? available;
  }

  /** Number of free bytes of the store's file system at the last check; NaN if it could not be determined. */
  get free(): number {
    return this.#free;
  }

  /** Number of failed writes of the storage engine since the start of the core. */
  get writeErrors(): number {
    return this.#writeErrors;
  }

  /** Number of recoveries of the storage engine after failed writes, since the start of the core. */
  get recoveries(): number {
    return this.#recoveries;
  }

  /** Checks the storage engine immediately, and then once a second. */
  async start(): Promise<void> {
    await this.check();
    this.#timer = setInterval(() => void this.check(), TICK_MS);
    this.#timer.unref();
  }

  /** Counts and logs a failed write. The engine calls this method. */
  noteFailure(error: Error): void {
    this.#writeErrors++;
    this.#attempts = 0;
    this.#ticksToWait = 0;
    this.#dependencies.log.error(
      { err: error },
      'store: a write failed; further writes are refused until the store is reopened, fetches are still answered',
    );
  }

  /**
   * Makes the storage engine refuse all writes during a migration, and after it. `reason`: text of the error for
   * refused writes; undefined if the engine can accept writes again. While writes are refused for this reason, the
   * engine is not repaired after a failed write, because a repair also writes. A running repair continues; `check`
   * waits for it.
   */
  hold(reason: string | undefined): void {
    this.#held = reason;
    this.#pause();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#check;
  }

  /**
   * Checks the storage engine once. If a check is already running, waits for this check and does not start a second
   * check.
   */
  check(): Promise<void> {
    this.#check ??= this.#checkOnce().finally(() => {
      this.#check = undefined;
    });
    return this.#check;
  }

  async #checkOnce(): Promise<void> {
    const { engine, writeDirty } = this.#dependencies;
    await this.#checkFiles();
    await this.#checkSpace();
    if (engine.failed && !this.#low && !this.#gone && !this.#held) await this.#recover();
    // Retries the writes that the engine refused earlier. Ignores errors, because the next check tries again a second
    // later.
    if (!engine.refusal) await writeDirty().catch(() => {});
  }

  async #checkFiles(): Promise<void> {
    const { engine, directory, log } = this.#dependencies;
    if ((await engine.areFilesGone()) === (this.#gone !== undefined)) return;
    if (this.#gone) {
      this.#gone = undefined;
      log.info('store: its files are back');
    } else {
      this.#gone =
        `the store accepts no writes: its files in ${directory} were deleted, moved or replaced while the core runs; ` +
        'move the files back, or stop the core and restore the latest backup: gsq restore <file> --data-dir <directory>';
      log.error({ directory }, this.#gone);
    }
    this.#pause();
  }

  #pause(): void {
    this.#dependencies.engine.pause(this.#held ?? this.#gone ?? this.#low);
  }

  async #checkSpace(): Promise<void> {
    const { directory, minFreeBytes, log } = this.#dependencies;
    this.#free = await this.#freeBytes(directory).catch(() => Number.NaN);
    const free = this.#free;
    const least = minFreeBytes;
    if (!this.#low && free < least) {
      this.#low = `the store accepts no writes: ${free} bytes are free on its disk, but GSQ_MIN_FREE_SPACE needs ${least}`;
      this.#pause();
      log.warn(
        { free, least },
        'store: the disk is nearly full; writes are refused, fetches are still answered; free space on this disk',
      );
    } else if (this.#low && free >= least * RESUME_FACTOR) {
      this.#low = undefined;
      this.#pause();
      log.info({ free, least }, 'store: the disk has enough free space again');
    }
  }

  async #recover(): Promise<void> {
    if (this.#ticksToWait-- > 0) return;
    const { engine, compare, log, onLost } = this.#dependencies;
    try {
      await engine.recover(compare);
      this.#attempts = 0;
      this.#recoveries++;
      log.info('store: reopened and compared; writes are accepted again');
    } catch (error) {
      if (error instanceof StoreDamage) {
        onLost(error);
        return;
      }
      this.#ticksToWait = Math.min(2 ** this.#attempts++, LONGEST_PAUSE_TICKS);
      log.error(
        { err: error, seconds: this.#ticksToWait },
        'store: reopening failed, it is tried again later',
      );
    }
  }
}
