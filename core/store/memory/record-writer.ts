import { encodeRecord } from '../../servers/record-codec.ts';
import { SERVERS } from '../../servers/server-entry.ts';
import type { ServerRecord } from '../../servers/server-record.ts';
import type { Put, StorageEngine } from '../storage-engine.ts';
import type { ServerTable } from './server-table.ts';
import { WriteBehind } from './write-behind.ts';

/**
 * Maximum number of dirty records in one write. A server record is dirty if the engine refused an earlier write of it.
 */
const DIRTY_BATCH = 1_000;
/**
 * Limits for writing the server records whose stored version is outdated when the store closes. Each batch has at most
 * CLOSING_BATCH records. The writing stops after about CLOSING_MS milliseconds. The remaining records lose the changes
 * of the last minutes.
 */
const CLOSING_BATCH = 10_000;
const CLOSING_MS = 4_000;

function putOf(record: ServerRecord): Put {
  return { type: 'put', key: SERVERS + record.key, value: encodeRecord(record) };
}

/**
 * Writes the changed server records of a table to the storage engine. Important changes are written immediately. A
 * change of only players and times is written some minutes later.
 */
export class RecordWriter {
  readonly #engine: Pick<StorageEngine, 'append' | 'commit'>;
  readonly #table: ServerTable;
  readonly #now: () => number;
  readonly #behind = new WriteBehind();
  /**
   * Slots of the servers whose record must not be written before the next flush of the history. Such a record no longer
   * contains the samples of a finished hour, but the history has not written these samples yet. The value is true if
   * the record must be written immediately after the history has written the samples.
   */
  readonly #held = new Map<number, boolean>();

  constructor(engine: Pick<StorageEngine, 'append' | 'commit'>, table: ServerTable, now: () => number) {
    this.#engine = engine;
    this.#table = table;
    this.#now = now;
  }

  /**
   * Notes that the record of the server with this `slot` was loaded from the storage engine, so its stored version is
   * not outdated.
   */
  addLoaded(slot: number, now: number): void {
    this.#behind.loaded(slot, now);
  }

  /**
   * Notes that the record of the server with this `slot` was stored. `at`: time of the write in milliseconds since the
   * Unix epoch.
   */
  addWritten(slot: number, at: number): void {
    this.#behind.written(slot, at);
  }

  /**
   * Handles a change of a server record. `next`: the new record. `isNews`: true if anything besides the players and the
   * times changed. Writes the record to the engine if `isNews` is true, the stored record is too old, or an earlier
   * write was refused.
   *
   * `awaitsHistory`: true if the new record no longer contains something that the history has not written yet: the
   * samples of the previous hour, or the previous status. In this case, the record is written only when `writeHeld` is
   * called. Otherwise the samples or the incident would be lost if the core were killed between the two writes.
   */
  writeChange(slot: number, next: ServerRecord, isNews: boolean, now: number, awaitsHistory: boolean): void {
    const isDue = isNews || this.#behind.changed(slot, now);
    if (awaitsHistory || (this.#held.size > 0 && this.#held.has(slot))) {
      this.#held.set(slot, isDue || this.#held.get(slot) === true);
      this.#behind.markBehind(slot);
    } else if (isDue) this.#write(slot, next, now);
  }

  /**
   * Writes the server records that had to wait until the history has written their samples or incidents. Call this
   * method after each flush of the history.
   */
  writeHeld(): void {
    for (const [slot, isDue] of this.#held)
      if (isDue) this.#write(slot, this.#table.record(slot), this.#now());
    this.#held.clear();
  }

  /**
   * Writes the records of some servers, and resolves when they are durable. Does not wait for a record whose samples or
   * incident the history must write first: it is written after the next flush of the history. Rejects with NoWrites if
   * the engine refuses the write; the records are then written later.
   */
  async writeNow(slots: readonly number[]): Promise<void> {
    const ready = slots.filter(slot => !this.#held.has(slot));
    for (const slot of slots) {
      if (this.#held.has(slot)) this.#held.set(slot, true);
      else this.#behind.markDirty(slot);
    }
    if (ready.length === 0) return;
    const operations = ready.map(slot => putOf(this.#table.record(slot)));
    for (const slot of ready) this.#behind.written(slot, this.#now());
    await this.#engine.commit(operations);
  }

  /**
   * Writes the records of these servers whose stored version is outdated, even if the history has not written their
   * samples or incident yet. Resolves when these writes and all earlier writes of the records are durable. The records
   * must not change and no server may be removed meanwhile. Rejects with NoWrites if the engine refuses a write; the
   * records are then written later.
   */
  async writeOutdated(slots: readonly number[]): Promise<void> {
    do {
      for (let from = 0; from < slots.length; from += DIRTY_BATCH) {
        const batch = slots.slice(from, from + DIRTY_BATCH).filter(slot => this.#behind.isBehind(slot));
        if (batch.length > 0) await this.#writeBatch(batch);
      }
      // An appended write is durable when a later group of writes is. An empty commit waits for such a group.
      await this.#engine.commit([]);
      // If an appended write failed and the store recovered, `compare` has found that the stored record is outdated.
    } while (slots.some(slot => this.#behind.isBehind(slot)));
  }

  async #writeBatch(slots: readonly number[]): Promise<void> {
    const operations = slots.map(slot => putOf(this.#table.record(slot)));
    for (const slot of slots) {
      this.#held.delete(slot);
      this.#behind.written(slot, this.#now());
    }
    try {
      await this.#engine.commit(operations);
    } catch (error) {
      for (const slot of slots) this.#behind.markDirty(slot);
      throw error;
    }
  }

  #write(slot: number, record: ServerRecord, now: number): void {
    if (this.#engine.append(putOf(record))) this.#behind.written(slot, now);
    else this.#behind.markDirty(slot);
  }

  /** Notes that the stored record of the server with this `slot` differs from its record in memory. */
  markDirty(slot: number): void {
    this.#behind.markDirty(slot);
  }

  /**
   * Forgets whether the record of the server with this `slot` must be written. Call this method when the server is
   * removed, because a new server can get the slot.
   */
  forget(slot: number): void {
    this.#held.delete(slot);
    this.#behind.forget(slot);
  }

  /**
   * Writes the dirty server records: the storage engine refused an earlier write of them. Leaves out a record if the
   * history must first write its samples or incident. Rejects with NoWrites if the engine refuses a write again.
   */
  async writeDirty(): Promise<void> {
    if (this.#behind.dirty === 0) return;
    const isReady = (slot: number): boolean => this.#behind.isDirty(slot) && !this.#held.has(slot);
    const dirty = [...this.#table.slots()].filter(isReady);
    for (let i = 0; i < dirty.length; i += DIRTY_BATCH) {
      const operations = dirty
        .slice(i, i + DIRTY_BATCH)
        // The list of dirty server records was made before the first batch was written. While a batch is written, a
        // server can be removed, or its record can be written. Therefore skips records that are no longer dirty.
        .filter(isReady)
        .map(slot => {
          this.#behind.written(slot, this.#now());
          return putOf(this.#table.record(slot));
        });
      await this.#engine.commit(operations);
    }
  }

  /**
   * Writes all records whose stored version is outdated. Stops early after CLOSING_MS milliseconds. Rejects with
   * NoWrites if the engine refuses a write.
   */
  async writeAll(): Promise<void> {
    const until = performance.now() + CLOSING_MS;
    let operations: Put[] = [];
    for (const slot of this.#table.slots()) {
      if (!this.#behind.isBehind(slot)) continue;
      operations.push(putOf(this.#table.record(slot)));
      if (operations.length < CLOSING_BATCH) continue;
      await this.#engine.commit(operations);
      operations = [];
      if (performance.now() > until) return;
    }
    if (operations.length > 0) await this.#engine.commit(operations);
  }
}
