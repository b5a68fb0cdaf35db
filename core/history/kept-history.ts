import type { BackupHistory } from '../../proto/codec/backup-lines.ts';
import type { ServerRecord } from '../servers/server-record.ts';
import type { HistoryStore, SealedHour } from './history-store.ts';

/** Counters of the history since the start of the core. */
export interface HistoryCounters {
  /** Number of stored history entries. An entry is an incident, the removal of a server, or the samples of one hour. */
  readonly written: number;
  /** Number of batches of history writes that failed and were tried again. */
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
 * For each server, calls `seal` with the samples of the hour that is not yet stored, and waits for the call. Skips a
 * server if this hour began at the time `before` (Unix ms) or later.
 */
export type SealOpenHours = (
  before: number,
  seal: (key: string, sealed: SealedHour) => Promise<void> | undefined,
) => Promise<void>;

/**
 * Reads server records from this core, one bucket (group of servers) at a time. Used only if several cores share the
 * store.
 */
export interface RecordsOfBuckets {
  /** Returns the numbers of the buckets (groups of servers) whose servers are all loaded into memory. */
  complete(): number[];
  /**
   * Calls `visit` with the record of each server in the given buckets (groups of servers). A record is valid only until
   * `visit` returns.
   */
  visitRecords(
    buckets: readonly number[],
    visit: (bucket: number, record: ServerRecord) => void,
  ): Promise<void>;
}

/** The methods of the server store that the history calls. */
export interface RecordsOfHistory {
  /**
   * Counter that grows by 1 when a server record begins to wait for a flush of the history. Read this counter when a
   * flush starts, and pass its value to `writeHeld`.
   */
  readonly holds: number;
  /**
   * Writes the server records that wait for a flush of the history. Called after each flush. `holds`: value of
   * `RecordsOfHistory.holds` when the flush started. Records that began to wait later are not written.
   */
  writeHeld(holds: number): void;
  sealOpenHours: SealOpenHours;
  /** Reads the server records of some buckets (groups of servers). Undefined if no other core shares the store. */
  readonly buckets: RecordsOfBuckets | undefined;
}

/** The history of all servers: stores and reads it, summarises days, and deletes old data. */
export interface KeptHistory {
  readonly store: HistoryStore;
  readonly counters: HistoryCounters;
  /** Yields the lines of a backup of the history. Before that, writes the queued entries of the history. */
  backupLines(): AsyncGenerator<BackupHistory>;
  /** Sets the server store. Call this method before `start`. */
  connectRecords(records: RecordsOfHistory): void;
  /**
   * Starts two timers. One writes the queued entries of the history. The other computes the figures of finished days.
   */
  start(): void;
  /**
   * Writes all queued entries of the history, and resolves when they are durable. A failed write is repeated later. The
   * promise then rejects if the store is Redis or Valkey, but resolves if it is LevelDB.
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
