import type { LevelDb, LevelOperation } from '../leveldb/leveldb.ts';
import type { HistoryDirectories } from './history-directories.ts';
import { hashIn, lateKey, openEntry, ROLLED_KEY, sealEntry } from './history-entries.ts';
import { joinedHour } from './hour-versions.ts';
import { type PendingWrite, PendingWrites } from './pending-writes.ts';
import { hourOfSlot } from './periods.ts';

/**
 * Largest number of writes that wait, about 60 MB: those of 24 minutes at a million servers, so a disk may be full for
 * some minutes.
 */
const MOST_PENDING = 400_000;
/** Largest number of writes in one flush. */
const BATCH = 4_000;

/** Dependencies of `HistoryWriter`. */
export interface HistoryWriterDependencies {
  directories: HistoryDirectories;
  /** True if the day of this period of minutes is rolled up at this moment, so that a new hour would be missed. */
  isBeingRolledUp: (path: string) => boolean;
  /** Called when hours were stored in a period of minutes whose day is rolled up already. */
  onLate: (path: string) => void;
  onFailure: (error: Error) => void;
  onDropped: () => void;
}

/**
 * Writes to the directories of the history in batches. A failed write stays queued and is tried again: a failing disk
 * of the history disturbs nothing else.
 */
export class HistoryWriter {
  readonly pending = new PendingWrites(MOST_PENDING);
  readonly #dependencies: HistoryWriterDependencies;
  #flushing: Promise<void> | undefined;
  #written = 0;
  #failures = 0;
  #late = 0;

  constructor(dependencies: HistoryWriterDependencies) {
    this.#dependencies = dependencies;
  }

  /** Number of writes that are durable. */
  get written(): number {
    return this.#written;
  }

  /** Number of batches that could not be written. */
  get failures(): number {
    return this.#failures;
  }

  /** Number of hours that came after their day was rolled up. */
  get late(): number {
    return this.#late;
  }

  /** Queues a write. A later write of the same key replaces an earlier one, but hours are joined. */
  add(path: string, key: Buffer, content: Buffer): void {
    const queued = isHours(path) ? this.pending.get(path, key) : undefined;
    const joined = queued ? joinedHour(hourIn(path, key), queued, content) : content;
    if (!this.pending.add({ path, key, content: joined })) this.#dependencies.onDropped();
  }

  /** Writes everything that is queued. Resolves when it is durable, or when a write failed. */
  flush(): Promise<void> {
    this.#flushing ??= this.#flushAll().finally(() => {
      this.#flushing = undefined;
    });
    return this.#flushing;
  }

  async #flushAll(): Promise<void> {
    let failed = false;
    while (this.pending.size > 0 && !failed) {
      for (const [path, writes] of this.pending.batch(BATCH)) {
        try {
          await this.#dependencies.directories.write(path, db => this.#write(db, path, writes));
          this.pending.finish(writes);
          this.#written += writes.length;
        } catch (error) {
          failed = true;
          this.#failures++;
          this.#dependencies.onFailure(error instanceof Error ? error : new Error(String(error)));
        }
      }
    }
  }

  async #write(db: LevelDb, path: string, writes: readonly PendingWrite[]): Promise<void> {
    if (!isHours(path)) return db.writeDurably(writes.map(put));
    const [rolled, ...stored] = await db.getMany([ROLLED_KEY, ...writes.map(({ key }) => key)]);
    const isLate = rolled !== undefined || this.#dependencies.isBeingRolledUp(path);
    const operations = writes.flatMap(({ key, content }, i): LevelOperation[] => {
      const value = stored[i];
      const old = value && openEntry(key, value);
      const joined = old ? joinedHour(hourIn(path, key), old, content) : content;
      if (old?.equals(joined)) return [];
      if (!isLate) return [put({ key, content: joined })];
      this.#late++;
      const late = lateKey(hashIn(key));
      return [
        put({ key, content: joined }),
        { type: 'put', key: late, value: sealEntry(late, Buffer.alloc(0)) },
      ];
    });
    await db.writeDurably(operations);
    if (isLate) this.#dependencies.onLate(path);
  }
}

/** True if the entries of a directory are hours. */
function isHours(path: string): boolean {
  return path.startsWith('minutes/');
}

/** Returns the calendar hour of an entry, Unix ms. */
function hourIn(path: string, key: Buffer): number {
  return hourOfSlot(path, key[0] ?? 0);
}

function put({ key, content }: Pick<PendingWrite, 'key' | 'content'>): LevelOperation {
  return { type: 'put', key, value: sealEntry(key, content) };
}
