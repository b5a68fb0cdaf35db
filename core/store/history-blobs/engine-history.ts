import type { BackupHistory } from '../../../proto/codec/backup-lines.ts';
import type { Logger } from '../../../runtime/log.ts';
import type { HistoryStore } from '../../history/history-store.ts';
import { sealedHour } from '../../history/hour-coding.ts';
import type {
  HistoryCounters,
  KeptHistory,
  RecordsOfBuckets,
  RecordsOfHistory,
} from '../../history/kept-history.ts';
import { NoWrites } from '../no-writes.ts';
import type { CorruptBlob } from './blob-format.ts';
import { BlobHistory } from './blob-history.ts';
import { blobLines } from './blob-lines.ts';
import { BlobReader, type OnDamaged } from './blob-reader.ts';
import { asideName, type BlobName, type BlobStore } from './blob-store.ts';
import { BucketRollup } from './bucket-rollup.ts';
import { FrameWriter } from './frame-writer.ts';
import { expiryOf, namesOfHistory, type Retention } from './history-periods.ts';
import { type BucketServers, RollupSchedule } from './rollup-schedule.ts';

/** Time between two writes of the queued history data to the storage engine, ms. */
const FLUSH_MS = 1_000;
/** Time between two searches for days whose figures must be computed (rolled up), ms. */
const MAINTENANCE_MS = 60_000;
/**
 * Time between the start of the core and the first roll-up (computation of the daily figures), ms. There are two
 * reasons to wait. A wrong clock can be corrected during this time. And the first probes move the samples of finished
 * hours from the server records to the history, so that the roll-up finds them there.
 */
const START_GRACE_MS = 900_000;
/** Pause for each server whose daily figures were computed, ms: about ten times as long as the computation. */
const SERVER_PAUSE_MS = 6;
/**
 * Maximum length of the pause that the core makes after it has computed the daily figures of a bucket (group of
 * servers), ms.
 */
const MOST_PAUSE_MS = 10_000;

/** Options of `EngineHistory` (the history in a shared storage engine). */
export interface EngineHistoryOptions {
  blobs: BlobStore;
  retention: Retention;
  /** Returns the keys of all servers in the given buckets. The buckets can also belong to other cores. */
  serverKeys: (buckets: readonly number[]) => Promise<string[]>;
  /** Longest time for which one sample (stored probe result) can count as the status of its server, ms. */
  longestHoldMs: number;
  now: () => number;
  /** Returns the time of a monotonic clock, which nobody can set, ms. */
  monotonic: () => number;
  log: Logger;
  /** Pause for each server that was rolled up (whose daily figures were computed), ms. Default: SERVER_PAUSE_MS. */
  serverPauseMs?: number;
}

/**
 * The history in a storage engine that several cores share. Each core writes and rolls up (summarises) the history of
 * its own servers, and can read all history. The engine deletes old data itself.
 */
export class EngineHistory implements KeptHistory {
  readonly store: HistoryStore;
  readonly #options: EngineHistoryOptions;
  readonly #writer: FrameWriter;
  readonly #reader: BlobReader;
  readonly #rollup: BucketRollup;
  readonly #schedule: RollupSchedule;
  readonly #closing = new AbortController();
  readonly #startedAt: number;
  #timers: NodeJS.Timeout[] = [];
  #records: RecordsOfHistory | undefined;
  #maintaining: Promise<void> | undefined;
  #isFailing = false;
  #isDropping = false;
  #isUnmaintained = false;
  #damaged = 0;

  constructor(options: EngineHistoryOptions) {
    const { blobs, retention, longestHoldMs, now, monotonic } = options;
    this.#options = options;
    this.#startedAt = monotonic();
    const onDamaged: OnDamaged = (blob, header, error) => this.#setAside(blob, header, error);
    const reader = new BlobReader(blobs, onDamaged);
    this.#reader = reader;
    this.#rollup = new BucketRollup({ reader, blobs, retention, longestHoldMs, now });
    this.#schedule = new RollupSchedule({
      blobs,
      rollup: this.#rollup,
      longestHoldMs,
      pause: servers => this.#pause(servers),
    });
    this.#writer = new FrameWriter({
      blobs,
      expiresAt: name => expiryOf(name, retention, now()),
      onWritten: blob => this.#schedule.noteWritten(blob),
      onDropped: () => this.#noteDropped(),
      onDamaged,
    });
    this.store = new BlobHistory({ reader, writer: this.#writer, retention, longestHoldMs, now });
  }

  get counters(): HistoryCounters {
    return {
      written: this.#writer.written,
      failures: this.#writer.failures,
      dropped: this.#writer.pending.dropped,
      queued: this.#writer.pending.size,
      late: this.#schedule.late,
      rolledUp: this.#rollup.servers,
      corrupt: 0,
      damaged: this.#damaged,
      directories: 0,
    };
  }

  async *backupLines(): AsyncGenerator<BackupHistory> {
    const { serverKeys, retention, now } = this.#options;
    // Writes the queued history first. Without this write, the backup would lack the history of the last second.
    // Ignores an error of the write, because a backup must work even if this core cannot write.
    await this.flush().catch(() => {});
    yield* blobLines(this.#reader, serverKeys, namesOfHistory(retention, now()));
  }

  connectRecords(records: RecordsOfHistory): void {
    this.#records = records;
  }

  start(): void {
    this.#timers = [
      // Ignores the error of a failed flush: `flush` has logged it, and the next flush tries again.
      setInterval(() => void this.flush().catch(() => {}), FLUSH_MS).unref(),
      setInterval(() => void this.maintain(), MAINTENANCE_MS).unref(),
    ];
  }

  /**
   * Writes the queued history, and then the server records that wait for it. If the history cannot be written, rejects
   * with NoWrites, and the records continue to wait.
   */
  async flush(): Promise<void> {
    const holds = this.#records?.holds ?? 0;
    try {
      await this.#writer.flush();
    } catch (error) {
      this.#noteFailure(error);
      throw new NoWrites(`the history cannot be written now: ${explain(error)}`);
    }
    // The history must be stored before the server records, because samples have moved from the records to the history.
    // In the reverse order, a crash could lose these samples.
    this.#records?.writeHeld(holds);
    if (!this.#isFailing) return;
    this.#isFailing = false;
    this.#isDropping = false;
    this.#options.log.info('history: writes succeed again');
  }

  maintain(): Promise<void> {
    this.#maintaining ??= this.#maintain().finally(() => {
      this.#maintaining = undefined;
    });
    return this.#maintaining;
  }

  async close(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    this.#closing.abort();
    await this.#maintaining;
    // Ignores an error of `flush`, which has already logged it. The samples in the queue are not lost, because the
    // stored server records still contain them.
    await this.flush().catch(() => {});
  }

  async #maintain(): Promise<void> {
    const { now, monotonic, log } = this.#options;
    const buckets = this.#records?.buckets;
    if (!buckets || monotonic() - this.#startedAt < START_GRACE_MS) return;
    try {
      await this.#schedule.run(serversOf(buckets), now(), this.#closing.signal);
      this.#isUnmaintained = false;
    } catch (error) {
      if (this.#closing.signal.aborted || this.#isUnmaintained) return;
      this.#isUnmaintained = true;
      log.error({ err: error }, 'history: a day cannot be rolled up; the core tries again every minute');
    }
  }

  #pause(servers: number): Promise<void> {
    const { signal } = this.#closing;
    const ms = Math.min(servers * (this.#options.serverPauseMs ?? SERVER_PAUSE_MS), MOST_PAUSE_MS);
    return new Promise(resolve => {
      if (signal.aborted) return resolve();
      const stop = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', stop);
        resolve();
      };
      const timer = setTimeout(stop, ms);
      signal.addEventListener('abort', stop);
    });
  }

  /**
   * Renames a damaged blob (a stored value of the history). Otherwise each later write and daily summary of the same
   * bucket would fail. Does nothing if another core owns the bucket, because the owner renames the blob itself.
   */
  async #setAside(blob: BlobName, header: Buffer, error: CorruptBlob): Promise<void> {
    const { blobs, log } = this.#options;
    if (blobs.epochOf(blob.bucket) === undefined || !(await blobs.setAside(blob, header))) return;
    this.#damaged++;
    log.error(
      { err: error, ...blob, movedTo: asideName(blob.name) },
      'history: a damaged part of the history was moved aside; it is lost, everything else goes on',
    );
  }

  #noteFailure(error: unknown): void {
    if (this.#isFailing) return;
    this.#isFailing = true;
    this.#options.log.error(
      { err: error },
      'history: a write failed; it is queued and tried again every second',
    );
  }

  #noteDropped(): void {
    if (this.#isDropping) return;
    this.#isDropping = true;
    this.#options.log.error(
      'history: the queue of writes is full; the oldest ones are dropped until writes succeed',
    );
  }
}

function explain(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function serversOf(buckets: RecordsOfBuckets): BucketServers {
  return {
    complete: () => buckets.complete(),
    visitServers: (some, visit) =>
      buckets.visitRecords(some, (bucket, { key, openHour }) => {
        // Copies the samples of the current hour, because the server record can change before the roll-up (computation
        // of the daily figures) uses them.
        const open = openHour.length > 0 ? sealedHour(Buffer.from(openHour)) : undefined;
        visit(bucket, { key, openHour: open });
      }),
  };
}
