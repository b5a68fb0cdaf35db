import { encodeRecord } from '../../servers/record-codec.ts';
import { SERVERS } from '../../servers/server-entry.ts';
import type { ServerRecord } from '../../servers/server-record.ts';
import type { Put, StorageEngine } from '../storage-engine.ts';
import type { BucketSlots } from './bucket-slots.ts';
import { OutdatedSlots } from './outdated-slots.ts';
import type { ServerTable } from './server-table.ts';
import { MOST_BEHIND_S, WriteBehind } from './write-behind.ts';

/** Maximum number of server records in one write. When the store closes, CLOSING_BATCH applies instead. */
const DIRTY_BATCH = 1_000;
/**
 * When a record is written, outdated records of the same bucket (group of servers) are written too, but at most this
 * many: a bucket can contain thousands of servers.
 */
const TAKEN_ALONG = 500;
/**
 * Maximum number of server records in one write of `writeAll`, which writes the changed records when the store closes.
 */
const CLOSING_BATCH = 10_000;
/**
 * Maximum duration of the last writes when the store closes, ms. Changes that are not written in this time are lost.
 */
const CLOSING_MS = 4_000;

/** A changed server record that must wait for the next flush of the history. */
interface HeldRecord {
  /**
   * True if the record must be written as soon as the flush of the history has ended. False if the record can wait
   * longer.
   */
  isDue: boolean;
  /**
   * Value of the counter `RecordWriter.holds` when this record last began to wait for the history. A flush of the
   * history ends the wait only if the flush began later.
   */
  hold: number;
  /** The calls of `writeNow` that wait until the record is durable. */
  readonly waiting: { resolve: () => void; reject: (error: unknown) => void }[];
}

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
  readonly #behind: WriteBehind;
  /**
   * Servers whose record in the storage engine is older than the record in memory. Undefined for a storage engine that
   * only one core can use.
   */
  readonly #outdated: OutdatedSlots | undefined;
  /**
   * Records that wait for the next flush of the history, by slot (row in the server table). This flush stores a
   * finished hour of samples or an incident of the server. If the record were stored first, a kill of the core between
   * the two writes would lose this data.
   */
  readonly #held = new Map<number, HeldRecord>();
  #holds = 0;

  /** `buckets`: finds the bucket of a server; undefined if no other core shares the storage engine. */
  constructor(
    engine: Pick<StorageEngine, 'append' | 'commit'>,
    table: ServerTable,
    now: () => number,
    buckets: BucketSlots | undefined,
  ) {
    this.#engine = engine;
    this.#table = table;
    this.#now = now;
    this.#behind = new WriteBehind(
      buckets ? slot => buckets.bucketAt(slot) % MOST_BEHIND_S : slot => slot % MOST_BEHIND_S,
    );
    // Finds outdated records by bucket, because one write can contain only records of the same bucket.
    this.#outdated = buckets && new OutdatedSlots(buckets);
  }

  /**
   * Notes that the record of a server was stored or loaded at the time `at`, Unix ms. `slot`: row of the server in the
   * server table.
   */
  addWritten(slot: number, at: number): void {
    this.#behind.written(slot, at);
  }

  /**
   * Handles a changed record (`next`) of a server. `isNews`: true if the change must be written immediately.
   * `awaitsHistory`: true if the write must wait for the next flush of the history.
   */
  writeChange(slot: number, next: ServerRecord, isNews: boolean, now: number, awaitsHistory: boolean): void {
    const isTooOld = !isNews && this.#behind.changed(slot, now);
    const isDue = isNews || isTooOld;
    const held = this.#held.size > 0 ? this.#held.get(slot) : undefined;
    if (awaitsHistory || held) {
      const hold = held && !awaitsHistory ? held.hold : ++this.#holds;
      this.#held.set(slot, { isDue: isDue || held?.isDue === true, hold, waiting: held?.waiting ?? [] });
      this.#behind.markBehind(slot);
    } else if (isDue) this.#write(slot, next, now);
    if (isTooOld) this.#writeBucketOf(slot, now);
    else if (!isNews) this.#outdated?.add(slot);
  }

  /**
   * Writes at most TAKEN_ALONG outdated records of one bucket. `slot`: row of any server of this bucket in the server
   * table.
   */
  #writeBucketOf(slot: number, now: number): void {
    for (const other of this.#outdated?.takeBucketOf(slot, TAKEN_ALONG) ?? [])
      if (this.#behind.isBehind(other) && !this.#held.has(other))
        this.#write(other, this.#table.record(other), now);
  }

  /**
   * Number of changed records so far that had to wait for a flush of the history. Read this counter when a flush
   * begins, and pass it to `writeHeld` after the flush.
   */
  get holds(): number {
    return this.#holds;
  }

  /**
   * Call this method after each flush of the history. Writes the records that had to wait for this flush, if they are
   * due or a call of `writeNow` waits for them. `holds`: value of the counter `holds` when the flush began. Records
   * that began to wait later are not written.
   */
  writeHeld(holds: number): void {
    const awaited: number[] = [];
    for (const [slot, { isDue, hold, waiting }] of this.#held) {
      if (hold > holds) continue;
      if (waiting.length > 0) {
        awaited.push(slot);
        continue;
      }
      this.#held.delete(slot);
      if (isDue) this.#write(slot, this.#table.record(slot), this.#now());
    }
    // Ignores the error of this write: the waiting calls of `writeNow` reject with the error, and the records are
    // written later.
    if (awaited.length > 0) this.#writeBatch(awaited).catch(() => {});
  }

  /**
   * Writes the records of some servers. Resolves when they are durable. If a record must wait for a flush of the
   * history, writes it after this flush. Rejects with NoWrites if the storage engine refuses a write.
   */
  async writeNow(slots: readonly number[]): Promise<void> {
    const ready = slots.filter(slot => !this.#held.has(slot));
    for (const slot of ready) this.#behind.markDirty(slot);
    const later = slots.flatMap(slot => {
      const held = this.#held.get(slot);
      return held ? [new Promise<void>((resolve, reject) => held.waiting.push({ resolve, reject }))] : [];
    });
    await Promise.all([this.#writeBatch(ready), ...later]);
  }

  /** True if the record of a server must wait for the next flush of the history. */
  isHeld(slot: number): boolean {
    return this.#held.has(slot);
  }

  /**
   * Writes the changed records of these servers, without waiting for the history. Resolves when all are durable. Until
   * then, these servers must not change. Rejects with NoWrites if the engine refuses.
   */
  async writeOutdated(slots: readonly number[]): Promise<void> {
    do {
      for (let from = 0; from < slots.length; from += DIRTY_BATCH) {
        const batch = slots.slice(from, from + DIRTY_BATCH).filter(slot => this.#behind.isBehind(slot));
        if (batch.length > 0) await this.#writeBatch(batch);
      }
      // Waits until all earlier writes with `append` are durable. A commit without operations is enough for this,
      // because it resolves only after all earlier writes.
      await this.#engine.commit([]);
      // Writes a record again if an earlier write of it with `append` has failed: the recovery of the store then calls
      // `markDirty` for the record.
    } while (slots.some(slot => this.#behind.isBehind(slot)));
  }

  async #writeBatch(slots: readonly number[]): Promise<void> {
    const operations = slots.map(slot => putOf(this.#table.record(slot)));
    const waiting = slots.flatMap(slot => this.#held.get(slot)?.waiting ?? []);
    for (const slot of slots) {
      this.#held.delete(slot);
      this.#behind.written(slot, this.#now());
    }
    try {
      await this.#engine.commit(operations);
    } catch (error) {
      for (const slot of slots) this.#behind.markDirty(slot);
      for (const { reject } of waiting) reject(error);
      throw error;
    }
    for (const { resolve } of waiting) resolve();
  }

  /**
   * Writes all changed records, except records that must wait for the history (`isHeld`). Rejects with NoWrites if the
   * storage engine refuses a write.
   */
  async writeBehind(): Promise<void> {
    const isReady = (slot: number): boolean => this.#behind.isBehind(slot) && !this.#held.has(slot);
    const slots = [...this.#table.slots()].filter(isReady);
    for (let from = 0; from < slots.length; from += DIRTY_BATCH)
      await this.#writeBatch(slots.slice(from, from + DIRTY_BATCH).filter(isReady));
  }

  #write(slot: number, record: ServerRecord, now: number): void {
    if (this.#engine.append(putOf(record))) this.#behind.written(slot, now);
    else this.#behind.markDirty(slot);
  }

  /** Marks the stored record of a server as outdated. `slot`: index of the server in the server table. */
  markDirty(slot: number): void {
    this.#behind.markDirty(slot);
  }

  /**
   * Call this method when a server is removed. Forgets whether its record must be written, because a new server can get
   * the same `slot` (row in the table).
   */
  forget(slot: number): void {
    for (const { resolve } of this.#held.get(slot)?.waiting ?? []) resolve();
    this.#held.delete(slot);
    this.#behind.forget(slot);
  }

  /**
   * Writes the records that the storage engine refused earlier (dirty records), except records that must wait for the
   * history (`isHeld`). Rejects with NoWrites if the engine refuses again.
   */
  async writeDirty(): Promise<void> {
    if (this.#behind.dirty === 0) return;
    const isReady = (slot: number): boolean => this.#behind.isDirty(slot) && !this.#held.has(slot);
    const dirty = [...this.#table.slots()].filter(isReady);
    for (let i = 0; i < dirty.length; i += DIRTY_BATCH) {
      // Leaves out records that need no write any more, because their server was removed or stored while an earlier
      // batch was written.
      const batch = dirty.slice(i, i + DIRTY_BATCH).filter(isReady);
      if (batch.length > 0) await this.#writeBatch(batch);
    }
  }

  /**
   * Writes all records that have changed since they were stored. Stops early after CLOSING_MS milliseconds. Rejects
   * with NoWrites if the engine refuses a write.
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
