import { setTimeout as delay } from 'node:timers/promises';
import type { MovedStore } from '../migration-marker.ts';
import { type EngineOwnerTable, HOLD_OVER } from './engine-owner-table.ts';
import { HOLD_MS } from './table-scripts.ts';

/**
 * Time between two calls that extend the hold (the stop of all writes), in milliseconds. `POLL_MS` applies until all
 * cores have stopped writing, `EXTEND_MS` after that.
 */
const POLL_MS = 50;
const EXTEND_MS = 1_000;
/**
 * Maximum time to wait until all cores have stopped writing, ms. It must be longer than a lease (7 s), because a killed
 * core counts as writing until its lease ends.
 */
const PATIENCE_MS = 60_000;

/** Error of `StoreHold.begin`: not all cores that use the store have stopped writing in time. */
export class CoresStillWrite extends Error {
  override name = 'CoresStillWrite';
}

/**
 * A hold: a pause in the writes of all cores that use a store on Redis or Valkey. During the hold, the data of the
 * store can be moved to another store.
 */
export class StoreHold {
  readonly #table: EngineOwnerTable;
  #timer: NodeJS.Timeout | undefined;

  constructor(table: EngineOwnerTable) {
    this.#table = table;
  }

  /**
   * Begins a hold: all cores stop writing until a call of `end`. Call this method once. Rejects with CoresStillWrite if
   * the cores do not stop in time, and with StoreInUse during another migration.
   */
  async begin(): Promise<void> {
    const until = performance.now() + PATIENCE_MS;
    for (let isFirst = true; ; isFirst = false) {
      const missing = await this.#table.hold(HOLD_MS, isFirst);
      if (missing === undefined) break;
      if (missing === HOLD_OVER || performance.now() > until) {
        await this.end();
        throw new CoresStillWrite(`the cores cannot be made read-only: ${missing}; run the command again`);
      }
      await delay(POLL_MS);
    }
    // Extends the hold (pause of all writes) again and again. Ignores errors, because `move` finds out whether the hold
    // has ended.
    this.#timer = setInterval(() => this.#table.hold(HOLD_MS, false).catch(() => {}), EXTEND_MS);
  }

  /** Returns the store to which a migration moved the data. Resolves to undefined if the data was not moved. */
  moved(): Promise<MovedStore | undefined> {
    return this.#table.moved();
  }

  /**
   * Records that the data was moved to another store, so cores cannot use this store until `unmove`. If the pause of
   * all writes has already ended, changes nothing and resolves to false.
   */
  move(moved: MovedStore): Promise<boolean> {
    return this.#table.move(moved);
  }

  /** Deletes the note that the data was moved to another store. Cores can then use this store again. */
  unmove(): Promise<void> {
    return this.#table.unmove();
  }

  /**
   * Ends the hold, so that the cores can write again. If the data was moved to another store, the cores still cannot
   * use this store.
   */
  async end(): Promise<void> {
    clearInterval(this.#timer);
    await this.#table.endHold().catch(() => {});
  }

  /** Ends the hold and closes the connections to the table of owners (which core owns which servers). */
  async close(): Promise<void> {
    await this.end();
    this.#table.close();
  }
}
