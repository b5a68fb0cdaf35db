import { join } from 'node:path';
import type { BackupHistory } from '../../../proto/codec/backup-lines.ts';
import type { Logger } from '../../../runtime/log.ts';
import type { HistoryStore } from '../../history/history-store.ts';
import type { HistoryCounters, KeptHistory, RecordsOfHistory } from '../../history/kept-history.ts';
import { hoursBefore } from '../../history/longest-hold.ts';
import { NoWrites } from '../no-writes.ts';
import { ClockCheck } from './clock-check.ts';
import { DayRollup } from './day-rollup.ts';
import { type HistoryPages, historyLines, readPage } from './history-backup.ts';
import { HistoryDirectories } from './history-directories.ts';
import { keepHistoryKey } from './history-key.ts';
import { HistoryMaintenance, type Retention } from './history-maintenance.ts';
import { HistoryWriter } from './history-writer.ts';
import { LevelDbHistory } from './leveldb-history.ts';
import { copyOpenHours } from './open-hour-copies.ts';
import { periodOf } from './periods.ts';

/** Time between two writes of queued history entries to disk, ms. */
const FLUSH_MS = 1_000;
/** Time between two maintenance runs of the history, ms. A run summarises past days and deletes old directories. */
const MAINTENANCE_MS = 60_000;
/**
 * Pause after each group of servers in a roll-up (summary of a day), ms. The work for a group takes about 90 ms, so
 * with this pause the roll-up uses a tenth of a processor core.
 */
const PAGE_PAUSE_MS = 800;

/** Returns the directory of the history in a data directory. */
export function historyDirectory(dataDirectory: string): string {
  return join(dataDirectory, 'history');
}

/** Options of `History.open`, which opens the history in a data directory. */
export interface HistoryOptions {
  /** Directory of the history, which is created if it does not exist. */
  directory: string;
  retention: Retention;
  /**
   * Maximum time for which a sample (result of a probe) counts, ms. A sample gives the status of its server until the
   * next sample, but not for longer than this time.
   */
  longestHoldMs: number;
  now: () => number;
  /** Returns the time of a monotonic clock, ms. */
  monotonic: () => number;
  log: Logger;
  /** Pause after each group of servers while a day is summarised (rolled up), ms. Default: PAGE_PAUSE_MS. */
  pagePauseMs?: number;
}

/** The history of a data directory: stores and reads it, rolls up (summarises) days, and deletes old data. */
export class History implements KeptHistory {
  readonly store: HistoryStore;
  readonly #directories: HistoryDirectories;
  readonly #writer: HistoryWriter;
  readonly #rollup: DayRollup;
  readonly #maintenance: HistoryMaintenance;
  readonly #directory: string;
  /** Secret key with which the history hashes the keys of servers. */
  readonly #secret: Buffer;
  readonly #log: Logger;
  readonly #pagePauseMs: number;
  readonly #closing = new AbortController();
  #timers: NodeJS.Timeout[] = [];
  #records: RecordsOfHistory | undefined;
  #corrupt = 0;
  #damaged = 0;
  #isFailing = false;
  #isDropping = false;
  #isUnmaintained = false;

  private constructor(options: HistoryOptions) {
    const { directory, retention, longestHoldMs, now, monotonic, log, pagePauseMs } = options;
    this.#directory = directory;
    this.#log = log;
    this.#pagePauseMs = pagePauseMs ?? PAGE_PAUSE_MS;
    const secret = keepHistoryKey(directory, log);
    this.#secret = secret;
    const directories = new HistoryDirectories(directory, (path, movedTo, error) =>
      this.#noteDamage(path, movedTo, error),
    );
    const onCorrupt = (): void => {
      this.#corrupt++;
    };
    this.#directories = directories;
    this.#writer = new HistoryWriter({
      directories,
      isBeingRolledUp: path => this.#maintenance.isBeingRolledUp(path),
      onLate: path => this.#maintenance.noteLate(path),
      onFailure: error => this.#noteFailure(error),
      onDropped: () => this.#noteDropped(),
    });
    const isMissing = (hour: number): boolean => {
      const { path, to } = periodOf('minutes', hour);
      return to + retention.minutes <= now() || directories.isLost(path);
    };
    this.#rollup = new DayRollup({
      directories,
      isMissing,
      hoursBefore: hoursBefore(longestHoldMs),
      onCorrupt,
      pause: () => this.#pause(),
    });
    this.#maintenance = new HistoryMaintenance({
      directories,
      rollup: this.#rollup,
      retention,
      longestHoldMs,
      now,
      clock: new ClockCheck({ now, monotonic, onJump: () => this.#noteJump() }),
      sealOpenHours: before => this.#copyOpenHours(before),
      settle: () => this.flush(),
      hasQueued: path => this.#writer.pending.has(path),
      closing: this.#closing.signal,
    });
    this.store = new LevelDbHistory({ directories, writer: this.#writer, secret, now, onCorrupt });
  }

  /**
   * Opens the history in a directory, or creates it. The LevelDB directories of the history are opened later, when they
   * are used. Throws ConfigError or a file system error if the directory, or the file with the secret key of the
   * history, cannot be read.
   */
  static open(options: HistoryOptions): History {
    return new History(options);
  }

  get counters(): HistoryCounters {
    return {
      written: this.#writer.written,
      failures: this.#writer.failures,
      dropped: this.#writer.pending.dropped,
      queued: this.#writer.pending.size,
      late: this.#writer.late,
      rolledUp: this.#rollup.servers,
      corrupt: this.#corrupt,
      damaged: this.#damaged,
      directories: this.#directories.count,
    };
  }

  /**
   * Yields the lines of a backup of the history. Writes all queued entries first. Logs and leaves out directories that
   * cannot be read.
   */
  async *backupLines(): AsyncGenerator<BackupHistory> {
    await this.flush();
    yield* historyLines(this.#directory, this.#secret, (path, work) =>
      this.#directories.read(path, work).catch((error: unknown) => {
        this.#log.error(
          { err: error, path },
          'history: a directory cannot be read; the backup is without it',
        );
        return undefined;
      }),
    );
  }

  /** The entries of the history, which `gsq migrate` copies while this core runs. */
  get pages(): HistoryPages {
    return {
      secret: this.#secret,
      versions: async () => {
        await this.flush();
        if (this.#isFailing)
          throw new NoWrites(
            'the history cannot be written to the disk now; the core tries again every second',
          );
        return this.#directories.versions();
      },
      page: async (path, after) => (await this.#directories.read(path, db => readPage(db, after))) ?? [],
    };
  }

  /**
   * Starts the timers of the history. Each second, the queued entries are written to disk. Each minute, finished days
   * are aggregated (roll-up), and old directories are deleted.
   */
  start(): void {
    void this.maintain();
    this.#timers = [
      setInterval(() => void this.flush(), FLUSH_MS).unref(),
      setInterval(() => void this.maintain(), MAINTENANCE_MS).unref(),
    ];
  }

  /**
   * Sets the server store, from which the history copies the samples of unfinished hours. Call this method before
   * `start`.
   */
  connectRecords(records: RecordsOfHistory): void {
    this.#records = records;
  }

  /** Writes all queued writes of the history to disk. Resolves when they are durable, or when a write has failed. */
  flush(): Promise<void> {
    return this.#writer.flush().then(() => {
      // Stores the server records that waited until the history was written. Stores them even if this write has failed,
      // because a broken disk of the history must not block the server store.
      this.#records?.writeHeld(this.#records.holds);
      if (this.#writer.pending.size > 0 || !this.#isFailing) return;
      this.#isFailing = false;
      this.#isDropping = false;
      this.#log.info('history: writes succeed again');
    });
  }

  /** Rolls up the days of the history that are over, and deletes directories that are too old. Never rejects. */
  async maintain(): Promise<void> {
    try {
      await this.#maintenance.run();
      this.#isUnmaintained = false;
    } catch (error) {
      if (this.#closing.signal.aborted || this.#isUnmaintained) return;
      this.#isUnmaintained = true;
      this.#log.error(
        { err: error },
        'history: a day cannot be rolled up, or a directory cannot be deleted; the core tries again every minute',
      );
    }
  }

  /** Writes all queued writes of the history to disk, and closes its directories. */
  async close(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    this.#closing.abort();
    await this.#maintenance.settle();
    await this.flush();
    await this.#directories.close();
  }

  async #copyOpenHours(before: number): Promise<void> {
    const records = this.#records;
    if (!records) return;
    await copyOpenHours(before, {
      sealOpenHours: (...request) => records.sealOpenHours(...request),
      sealHour: (key, hour) => this.store.sealHour(key, hour),
      queued: () => this.#writer.pending.size,
      flush: () => this.flush(),
    });
  }

  #pause(): Promise<void> {
    const { signal } = this.#closing;
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(new Error('the history closes'));
      const stop = (): void => {
        clearTimeout(timer);
        reject(new Error('the history closes'));
      };
      const timer = setTimeout(() => {
        signal.removeEventListener('abort', stop);
        resolve();
      }, this.#pagePauseMs);
      signal.addEventListener('abort', stop, { once: true });
    });
  }

  #noteFailure(error: unknown): void {
    if (this.#isFailing) return;
    this.#isFailing = true;
    this.#log.error({ err: error }, 'history: a write failed; it is queued and tried again every second');
  }

  #noteJump(): void {
    this.#log.warn(
      'history: there are no samples of the last day, or the clock was set ahead; nothing is deleted for a day',
    );
  }

  #noteDropped(): void {
    if (this.#isDropping) return;
    this.#isDropping = true;
    this.#log.error('history: the queue of writes is full; the oldest ones are dropped until writes succeed');
  }

  #noteDamage(path: string, movedTo: string, error: unknown): void {
    this.#damaged++;
    this.#log.error(
      { err: error, path, movedTo },
      'history: a damaged directory was moved aside; its part of the history is lost, everything else goes on',
    );
  }
}
