import { joinedHour } from '../../history/hour-versions.ts';
import type { LevelDb, LevelOperation } from '../leveldb/leveldb.ts';
import type { HistoryDirectories } from './history-directories.ts';
import { hashIn, lateKey, openEntry, ROLLED_KEY, sealEntry } from './history-entries.ts';
import { type PendingWrite, PendingWrites } from './pending-writes.ts';
import { hourOfSlot } from './periods.ts';

/**
 * Maximum number of queued writes of the history. With a million servers, this is the number of writes in 24 minutes,
 * about 60 MB. Because of this queue, no history is lost if the disk is full for some minutes.
 */
const MOST_PENDING = 400_000;
/** Maximum number of writes to one history directory in one batch. */
const BATCH = 4_000;

/** Objects and callbacks that `HistoryWriter` (writes queued history to disk) needs. */
export interface HistoryWriterDependencies {
  directories: HistoryDirectories;
  /**
   * True while the samples in the directory `path` are being summarised by day. Samples that are written during this
   * time can be missing in the summary.
   */
  isBeingRolledUp: (path: string) => boolean;
  /** Called when samples were stored for a day that was already summarised. `path`: directory of these late samples. */
  onLate: (path: string) => void;
  onFailure: (error: Error) => void;
  onDropped: () => void;
}

/**
 * Writes to the directories of the history in batches. Failed writes stay queued and are tried again, so a failing disk
 * of the history does not disturb the rest of the core.
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

  /** Number of history writes that are safely on disk. */
  get written(): number {
    return this.#written;
  }

  /** Number of batches of history writes that failed. */
  get failures(): number {
    return this.#failures;
  }

  /** Number of writes with late samples: samples of a day that was already summarised. */
  get late(): number {
    return this.#late;
  }

  /**
   * Queues a write to the history. An older queued write of the same key is replaced. If the replaced write contains
   * samples, they are added to the new write, so that no sample is lost.
   */
  add(path: string, key: Buffer, content: Buffer): void {
    const queued = isHours(path) ? this.pending.get(path, key) : undefined;
    const joined = queued ? joinedHour(hourIn(path, key), queued, content) : content;
    if (!this.pending.add({ path, key, content: joined })) this.#dependencies.onDropped();
  }

  /** Writes all queued writes of the history to disk. Resolves when they are durable, or when a write has failed. */
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

/**
 * True if `path` is a history directory with samples. Each of its entries has the samples of one server in one hour.
 */
function isHours(path: string): boolean {
  return path.startsWith('minutes/');
}

/** Returns the start of the calendar hour to which an entry with samples belongs, Unix ms. */
function hourIn(path: string, key: Buffer): number {
  return hourOfSlot(path, key[0] ?? 0);
}

function put({ key, content }: Pick<PendingWrite, 'key' | 'content'>): LevelOperation {
  return { type: 'put', key, value: sealEntry(key, content) };
}
