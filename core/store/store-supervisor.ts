import { statfs } from 'node:fs/promises';
import type { Logger } from '../../runtime/log.ts';
import type { Operation, StorageEngine } from './storage-engine.ts';
import { StoreDamage } from './store-damage.ts';

const TICK_MS = 1_000;
/** Pause between two attempts to recover a store, in ticks: doubles up to this. */
const LONGEST_PAUSE_TICKS = 30;
/** Hysteresis: writes are accepted again once this many times the minimum is free. */
const RESUME_FACTOR = 1.25;

export interface StoreSupervisorDependencies {
  engine: StorageEngine;
  /** Where the engine keeps its files. */
  directory: string;
  /** Writes are refused while fewer bytes are free in its file system. 0: never. */
  minFreeBytes: number;
  /** What to write so that the engine holds what was acknowledged; called after a failed write (`StorageEngine.recover`). */
  compare(): Promise<Operation[]>;
  /** Retries writes that were refused meanwhile. */
  writeDirty(): Promise<void>;
  log: Logger;
  /** The engine lost acknowledged writes: the process has to end. */
  onLost(error: Error): void;
  /** Free bytes of the file system of a directory; statfs by default. */
  freeBytes?: (directory: string) => Promise<number>;
}

async function available(directory: string): Promise<number> {
  const { bavail, bsize } = await statfs(directory);
  return bavail * bsize;
}

/**
 * Supervises a storage engine: pauses writes while its disk is nearly full, and recovers it after a failed write. Fetches
 * go on meanwhile: they need no disk.
 */
export class StoreSupervisor {
  readonly #dependencies: StoreSupervisorDependencies;
  readonly #freeBytes: (directory: string) => Promise<number>;
  #timer: NodeJS.Timeout | undefined;
  #check: Promise<void> | undefined;
  #low = false;
  #attempts = 0;
  #ticksToWait = 0;
  #writeErrors = 0;
  #recoveries = 0;
  #free = Number.NaN;

  constructor(dependencies: StoreSupervisorDependencies) {
    this.#dependencies = dependencies;
    this.#freeBytes = dependencies.freeBytes ?? available;
  }

  /** Free bytes at the last check; NaN if they are not known. */
  get free(): number {
    return this.#free;
  }

  /** Failed writes so far. */
  get writeErrors(): number {
    return this.#writeErrors;
  }

  /** Recoveries so far. */
  get recoveries(): number {
    return this.#recoveries;
  }

  /** Checks at once and then every second. */
  async start(): Promise<void> {
    await this.check();
    this.#timer = setInterval(() => void this.check(), TICK_MS);
    this.#timer.unref();
  }

  /** Is told of a failed write by the engine. */
  noteFailure(error: Error): void {
    this.#writeErrors++;
    this.#attempts = 0;
    this.#ticksToWait = 0;
    this.#dependencies.log.error(
      { err: error },
      'store: a write failed, nothing more is written; fetches are answered, and it is opened anew',
    );
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#check;
  }

  /** Checks once; a call while a check is running joins it. */
  check(): Promise<void> {
    this.#check ??= this.#checkOnce().finally(() => {
      this.#check = undefined;
    });
    return this.#check;
  }

  async #checkOnce(): Promise<void> {
    const { engine, writeDirty } = this.#dependencies;
    await this.#checkSpace();
    if (engine.failed && !this.#low) await this.#recover();
    // Records that cannot be written now stay dirty.
    if (!engine.refusal) await writeDirty().catch(() => {});
  }

  async #checkSpace(): Promise<void> {
    const { engine, directory, minFreeBytes, log } = this.#dependencies;
    this.#free = await this.#freeBytes(directory).catch(() => Number.NaN);
    const free = this.#free;
    const least = minFreeBytes;
    if (!this.#low && free < least) {
      this.#low = true;
      engine.pause(
        `the store takes no writes: ${free} bytes are free on its disk, and GSQ_MIN_FREE_SPACE keeps ${least}`,
      );
      log.warn(
        { free, least },
        'store: the disk is nearly full, no writes are taken; fetches are answered; make room',
      );
    } else if (this.#low && free >= least * RESUME_FACTOR) {
      this.#low = false;
      engine.pause(undefined);
      log.info({ free, least }, 'store: there is room again');
    }
  }

  async #recover(): Promise<void> {
    if (this.#ticksToWait-- > 0) return;
    const { engine, compare, log, onLost } = this.#dependencies;
    try {
      await engine.recover(compare);
      this.#attempts = 0;
      this.#recoveries++;
      log.info('store: opened anew and compared, writes are taken again');
    } catch (error) {
      if (error instanceof StoreDamage) {
        onLost(error);
        return;
      }
      this.#ticksToWait = Math.min(2 ** this.#attempts++, LONGEST_PAUSE_TICKS);
      log.error({ err: error, seconds: this.#ticksToWait }, 'store: not to be opened yet, tried again');
    }
  }
}
