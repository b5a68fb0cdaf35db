import { encodeRecord } from '../../servers/record-codec.ts';
import { SERVERS } from '../../servers/server-entry.ts';
import type { ServerRecord } from '../../servers/server-record.ts';
import type { Put, StorageEngine } from '../storage-engine.ts';
import type { ServerTable } from './server-table.ts';
import { WriteBehind } from './write-behind.ts';

/** Dirty records are written in batches of so many. */
const DIRTY_BATCH = 1_000;
/** Closing writes in batches of so many, for so long at most. What is left then is a few minutes old in the store. */
const CLOSING_BATCH = 10_000;
const CLOSING_MS = 4_000;

function putOf(record: ServerRecord): Put {
  return { type: 'put', key: SERVERS + record.key, value: encodeRecord(record) };
}

/** Writes changed records of a table to the engine: news at once, what merely repeats some minutes later. */
export class RecordWriter {
  readonly #engine: Pick<StorageEngine, 'append' | 'commit'>;
  readonly #table: ServerTable;
  readonly #now: () => number;
  readonly #behind = new WriteBehind();

  constructor(engine: Pick<StorageEngine, 'append' | 'commit'>, table: ServerTable, now: () => number) {
    this.#engine = engine;
    this.#table = table;
    this.#now = now;
  }

  /** A record was loaded from the engine. */
  addLoaded(slot: number, now: number): void {
    this.#behind.loaded(slot, now);
  }

  /** A record is stored as it is. */
  addWritten(slot: number, at: number): void {
    this.#behind.written(slot, at);
  }

  /** A record changed to `next`. `isNews`: it says more than that the server is as before, so it is written at once. */
  writeChange(slot: number, next: ServerRecord, isNews: boolean, now: number): void {
    if (!isNews && !this.#behind.changed(slot, now)) return;
    if (this.#engine.append(putOf(next))) this.#behind.written(slot, now);
    else this.#behind.markDirty(slot);
  }

  /** The engine holds another record of a slot than memory. */
  markDirty(slot: number): void {
    this.#behind.markDirty(slot);
  }

  /** The server of a slot was removed. */
  forget(slot: number): void {
    this.#behind.forget(slot);
  }

  /** Retries writes that the engine refused. Rejects with NoWrites. */
  async writeDirty(): Promise<void> {
    if (this.#behind.dirty === 0) return;
    const dirty = [...this.#table.slots()].filter(slot => this.#behind.isDirty(slot));
    for (let i = 0; i < dirty.length; i += DIRTY_BATCH) {
      const operations = dirty
        .slice(i, i + DIRTY_BATCH)
        // A server may have been removed, or its record written, during an earlier batch.
        .filter(slot => this.#behind.isDirty(slot))
        .map(slot => {
          this.#behind.written(slot, this.#now());
          return putOf(this.#table.record(slot));
        });
      await this.#engine.commit(operations);
    }
  }

  /** Writes every record that changed since it was written, as far as time allows. Rejects with NoWrites. */
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
