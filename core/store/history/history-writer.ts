import { samplesOf } from '../../history/hour-coding.ts';
import type { LevelDb, LevelOperation } from '../leveldb/leveldb.ts';
import type { HistoryDirectories } from './history-directories.ts';
import { hashIn, lateKey, openEntry, ROLLED_KEY, sealEntry } from './history-entries.ts';
import { type PendingWrite, PendingWrites } from './pending-writes.ts';
import { HOUR_MS, hourOfSlot } from './periods.ts';

/**
 * Maximum number of waiting writes, about 60 MB. With a million servers, these are the writes of 24 minutes, so a full
 * disk loses nothing for some minutes.
 */
const MOST_PENDING = 400_000;
/** Maximum number of writes to one directory in one batch. */
const BATCH = 4_000;

/** Dependencies of `HistoryWriter`. */
export interface HistoryWriterDependencies {
  directories: HistoryDirectories;
  /**
   * True while the day of a directory of samples is being rolled up. The roll-up could miss an hour that is written
   * now.
   */
  isBeingRolledUp: (path: string) => boolean;
  /**
   * Called before late hours are stored: hours whose day is rolled up already. `path`: directory of samples that gets
   * the hours.
   */
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

  /** Number of writes to the history that are durable. */
  get written(): number {
    return this.#written;
  }

  /** Number of batches that could not be written. */
  get failures(): number {
    return this.#failures;
  }

  /** Number of late hours: hours that were stored after their day was rolled up. */
  get late(): number {
    return this.#late;
  }

  /** Queues a write to a directory of the history. */
  add(path: string, key: Buffer, content: Buffer): void {
    if (!this.pending.add({ path, key, content })) this.#dependencies.onDropped();
  }

  /** Writes all queued writes. Resolves when they are durable, or when a write has failed. */
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
    if (!path.startsWith('minutes/')) return db.writeDurably(writes.map(put));
    const [rolled, ...stored] = await db.getMany([ROLLED_KEY, ...writes.map(({ key }) => key)]);
    const isLate = rolled !== undefined || this.#dependencies.isBeingRolledUp(path);
    if (isLate) this.#dependencies.onLate(path);
    const operations = writes.flatMap((write, i): LevelOperation[] => {
      const old = stored[i];
      if (old && this.#isNewer(path, write, old)) return [];
      if (!isLate) return [put(write)];
      this.#late++;
      const late = lateKey(hashIn(write.key));
      return [put(write), { type: 'put', key: late, value: sealEntry(late, Buffer.alloc(0)) }];
    });
    await db.writeDurably(operations);
  }

  /**
   * True if the stored version of an hour must be kept: if its last sample is newer than that of the new version, or if
   * both versions are equal.
   */
  #isNewer(path: string, { key, content }: PendingWrite, stored: Buffer): boolean {
    const samples = openEntry(key, stored);
    if (!samples) return false;
    const hour = hourOfSlot(path, key[0] ?? 0);
    const last = (bytes: Buffer): number => samplesOf({ hour, samples: bytes }).at(-1)?.at ?? hour - HOUR_MS;
    return samples.equals(content) || last(samples) > last(content);
  }
}

function put({ key, content }: PendingWrite): LevelOperation {
  return { type: 'put', key, value: sealEntry(key, content) };
}
