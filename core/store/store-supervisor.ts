import { statfs } from 'node:fs/promises';
import type { Logger } from '../../runtime/log.ts';
import type { LevelDbStore, Operation } from './leveldb/leveldb-store.ts';
import { StoreDamage } from './store-damage.ts';

const TICK_MS = 1_000;
/** Ticks between two attempts to open a store that failed: doubled up to this. */
const MOST_TICKS = 30;
/** So much more than the least must be free again before writes are taken, lest they are refused at once. */
const ROOM = 1.25;

export interface StoreSupervisorDependencies {
  level: LevelDbStore;
  /** Where the store is. */
  directory: string;
  /** Bytes to be left free in its file system; 0: nobody looks. */
  minFreeBytes: number;
  /** What to write so that the store is what was acknowledged, where a write failed. */
  compare(): Promise<Operation[]>;
  /** Writes what ought to have been written meanwhile. */
  writeOwed(): Promise<void>;
  log: Logger;
  /** The store has lost what was acknowledged: the process is to end. */
  onLost(error: Error): void;
  /** Bytes that are free; statfs unless told otherwise. */
  freeBytes?: (directory: string) => Promise<number>;
}

async function available(directory: string): Promise<number> {
  const { bavail, bsize } = await statfs(directory);
  return bavail * bsize;
}

/**
 * Keeps a store in use: refuses writes while its disk is nearly full, opens it anew after a write failed, and takes
 * writes again. Nothing of this concerns fetches, which need no disk.
 */
export class StoreSupervisor {
  readonly #parts: StoreSupervisorDependencies;
  readonly #freeBytes: (directory: string) => Promise<number>;
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;
  #low = false;
  #attempts = 0;
  #ticksToWait = 0;
  #writeErrors = 0;
  #recoveries = 0;
  #free = Number.NaN;

  constructor(parts: StoreSupervisorDependencies) {
    this.#parts = parts;
    this.#freeBytes = parts.freeBytes ?? available;
  }

  /** Bytes free at the last look; NaN where that could not be told. */
  get free(): number {
    return this.#free;
  }

  get writeErrors(): number {
    return this.#writeErrors;
  }

  get recoveries(): number {
    return this.#recoveries;
  }

  /** Looks at once and then every second. */
  async start(): Promise<void> {
    await this.look();
    this.#timer = setInterval(() => void this.look(), TICK_MS);
    this.#timer.unref();
  }

  /** Told of a write that failed. */
  failed(error: Error): void {
    this.#writeErrors++;
    this.#attempts = 0;
    this.#ticksToWait = 0;
    this.#parts.log.error(
      { err: error },
      'store: a write failed, nothing more is written; fetches are answered, and it is opened anew',
    );
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#looking;
  }

  /** Looks once; while one look is under way there is no other. */
  look(): Promise<void> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  async #look(): Promise<void> {
    const { level, writeOwed } = this.#parts;
    await this.#lookAtSpace();
    if (level.failed && !this.#low) await this.#recover();
    // What cannot be written now stays owed.
    if (!level.refusal) await writeOwed().catch(() => {});
  }

  async #lookAtSpace(): Promise<void> {
    const { level, directory, minFreeBytes, log } = this.#parts;
    this.#free = await this.#freeBytes(directory).catch(() => Number.NaN);
    const free = this.#free;
    const least = minFreeBytes;
    if (!this.#low && free < least) {
      this.#low = true;
      level.pause(
        `the store takes no writes: ${free} bytes are free on its disk, and GSQ_MIN_FREE_SPACE keeps ${least}`,
      );
      log.warn(
        { free, least },
        'store: the disk is nearly full, no writes are taken; fetches are answered; make room',
      );
    } else if (this.#low && free >= least * ROOM) {
      this.#low = false;
      level.pause(undefined);
      log.info({ free, least }, 'store: there is room again');
    }
  }

  async #recover(): Promise<void> {
    if (this.#ticksToWait-- > 0) return;
    const { level, compare, log, onLost } = this.#parts;
    try {
      await level.recover(compare);
      this.#attempts = 0;
      this.#recoveries++;
      log.info('store: opened anew and compared, writes are taken again');
    } catch (error) {
      if (error instanceof StoreDamage) {
        onLost(error);
        return;
      }
      this.#ticksToWait = Math.min(2 ** this.#attempts++, MOST_TICKS);
      log.error({ err: error, seconds: this.#ticksToWait }, 'store: not to be opened yet, tried again');
    }
  }
}
