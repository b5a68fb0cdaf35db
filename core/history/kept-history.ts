import type { BackupHistory } from '../../proto/codec/backup-lines.ts';
import type { ServerRecord } from '../servers/server-record.ts';
import type { HistoryStore, SealedHour } from './history-store.ts';

/** Counters of the history since the start of the core. */
export interface HistoryCounters {
  /** Number of stored history entries. An entry is an incident, the removal of a server, or the samples of one hour. */
  readonly written: number;
  /** Number of failed batches of history writes. The core tries a failed batch again. */
  readonly failures: number;
  /** Number of history writes that were dropped because the queue was full. */
  readonly dropped: number;
  /** Number of history writes that wait in the queue. */
  readonly queued: number;
  /** Number of writes with late samples: samples of a day that was already summarised (rolled up). */
  readonly late: number;
  /** Number of daily summaries (roll-ups) in the history. The summary of one day of one server counts as one. */
  readonly rolledUp: number;
  /** Number of stored values of the history that did not match their checksum. */
  readonly corrupt: number;
  /** Number of directories of the history that were moved aside because they are damaged. */
  readonly damaged: number;
  /** Number of LevelDB directories of the history. */
  readonly directories: number;
}

/**
 * Calls `seal` for each server, and passes the samples of its unfinished hour. The history does not contain these
 * samples yet. Waits until each call has finished. Skips a server whose hour began at the time `before` (Unix ms) or
 * later.
 */
export type SealOpenHours = (
  before: number,
  seal: (key: string, sealed: SealedHour) => Promise<void> | undefined,
) => Promise<void>;

/**
 * Reads the server records of this core, one bucket of servers at a time. Needed only if several cores share the store.
 */
export interface RecordsOfBuckets {
  /** Returns the ids of the buckets whose servers are all in memory. */
  complete(): number[];
  /**
   * Calls `visit` with the record of each server in the given buckets. A record is valid only until `visit` returns.
   */
  visitRecords(
    buckets: readonly number[],
    visit: (bucket: number, record: ServerRecord) => void,
  ): Promise<void>;
}

/** The methods of the server store that the history calls. */
export interface RecordsOfHistory {
  /**
   * Counter that grows by 1 whenever a server record must wait for the next flush of the history. `writeHeld` gets a
   * value of this counter, and writes only records that already waited when the counter had this value.
   */
  readonly holds: number;
  /**
   * Call this method after each flush of the history. Server records that waited for the flush may now be written: due
   * records immediately, the others later. `holds`: a value of the counter `RecordsOfHistory.holds`. Records that began
   * to wait after the counter had this value continue to wait.
   */
  writeHeld(holds: number): void;
  sealOpenHours: SealOpenHours;
  /** Reads the server records of some buckets. Undefined if no other core shares the store. */
  readonly buckets: RecordsOfBuckets | undefined;
}

/** The history of all servers: stores and reads it, summarises days, and deletes old data. */
export interface KeptHistory {
  readonly store: HistoryStore;
  readonly counters: HistoryCounters;
  /** Writes the queued entries of the history to the store, and then yields the lines of a backup of the history. */
  backupLines(): AsyncGenerator<BackupHistory>;
  /** Sets the server store. Call this method before `start`. */
  connectRecords(records: RecordsOfHistory): void;
  /**
   * Starts two timers. One writes the queued entries of the history. The other computes the figures of finished days.
   */
  start(): void;
  /**
   * Writes all queued entries of the history. Resolves when they are durable. If the write fails, it is repeated later.
   * In this case, the promise rejects if the store is Redis or Valkey, and resolves if the store is LevelDB.
   */
  flush(): Promise<void>;
  /**
   * Summarises the samples of all days that are over. Stores the uptime and player figures of each day and of each
   * quarter hour. Never rejects.
   */
  maintain(): Promise<void>;
  /** Writes all queued entries of the history, if the store accepts them, and closes the history. */
  close(): Promise<void>;
}
