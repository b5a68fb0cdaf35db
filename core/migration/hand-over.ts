import type { MovableEngine } from '../store/copyable-engine.ts';
import { COUNTED, type Counted } from '../store/counted-prefixes.ts';
import type { HistoryPages } from '../store/history/history-backup.ts';
import { deleteMoved, type MovedStore, putMoved, readMoved } from '../store/migration-marker.ts';
import type { SetDigest } from '../store/set-digest.ts';
import type { StoredEntry } from '../store/storage-engine.ts';
import { type Changes, type MigrationSource, WindowOver } from './source.ts';

/**
 * Longest time for which a migration makes the store read-only, ms. Without this limit, a migration that hangs could
 * block inserts for ever.
 */
const HOLD_MS = 30_000;

/** Maximum number of changed store entries that the migration reads at once. */
const CHANGES_AT_ONCE = 1_000;

/**
 * Dependencies of `HandOver`. A migration uses a `HandOver` object to copy the data of the embedded store of this
 * process.
 */
export interface HandOverDependencies {
  engine: MovableEngine;
  /** Name of the moved store in messages to the user. Contains no secrets. */
  name: string;
  /** True if the store belongs to a running core, so it can change during the migration. False if nobody changes it. */
  isLive: boolean;
  /**
   * Makes the engine refuse writes with the text `reason`. If `reason` is undefined, the engine accepts writes again.
   */
  hold(reason: string | undefined): void;
  /** Writes the server records that are newer in memory than in the storage engine. */
  writeBehind(): Promise<void>;
  /** Called when the migration has ended. */
  onClosed?(): Promise<void>;
}

/** The embedded store and the history of a running core, while `gsq migrate` moves them. */
export interface HandedStore {
  store: HandOver;
  history: HistoryPages;
}

/**
 * Error messages for refused writes. `window`: while the migration copies the last changes. `moved`: after the
 * migration has moved all data.
 */
export const HELD = {
  window: 'the store accepts no changes for a moment, because gsq migrate moves its data to another store',
  moved: 'this core accepts no changes any more, because its data was moved to another store',
} as const;

/**
 * The embedded store of this process as the source of a migration. It records the keys that are written during the
 * migration. The store refuses writes only while the last few changes are copied.
 */
export class HandOver implements MigrationSource {
  readonly #dependencies: HandOverDependencies;
  readonly #engine: MovableEngine;
  /** True while the migration copies the last changes. During this time, the store of a running core refuses writes. */
  #isOpen = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(dependencies: HandOverDependencies) {
    this.#dependencies = dependencies;
    this.#engine = dependencies.engine;
    this.#engine.written.start();
  }

  get name(): string {
    return this.#dependencies.name;
  }

  get isLive(): boolean {
    return this.#dependencies.isLive;
  }

  moved(): Promise<MovedStore | undefined> {
    return readMoved(this.#engine);
  }

  /**
   * Yields the entries of the store in pieces (groups of entries), in key order, from the first key after `after`. Each
   * entry is in only one piece.
   */
  pieces(after?: string): AsyncGenerator<readonly StoredEntry[], undefined> {
    return this.#engine.pieces(after);
  }

  getMany(keys: readonly string[]): Promise<Map<string, Buffer>> {
    return this.#engine.getMany(keys);
  }

  settle(): Promise<void> {
    return this.#dependencies.writeBehind();
  }

  async changes(): Promise<Changes> {
    const { written } = this.#engine;
    const keys = written.take(CHANGES_AT_ONCE);
    const values = await this.#engine.getMany(keys);
    return { entries: [...values], removed: keys.filter(key => !values.has(key)), left: written.count };
  }

  async hold(): Promise<void> {
    // If an earlier run of `gsq migrate` has already moved the data of this store, makes the store read-only without a
    // time limit.
    if (await this.moved()) {
      this.#dependencies.hold(HELD.moved);
      await this.#engine.commitPaused([]);
      return;
    }
    this.#isOpen = true;
    if (!this.isLive) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#endWindow(), HOLD_MS);
    this.#timer.unref();
    this.#dependencies.hold(HELD.window);
    // Waits for the writes that were queued before the store became read-only.
    await this.#engine.commitPaused([]);
  }

  async digests(): Promise<ReadonlyMap<Counted, SetDigest>> {
    return new Map(COUNTED.map(prefix => [prefix, this.#engine.digestOf(prefix)]));
  }

  async commit(moved: MovedStore): Promise<void> {
    if ((await this.moved())?.id === moved.id) {
      // An earlier run of `gsq migrate` marked this store as moved, and then failed. After that failure, the core may
      // have begun to accept writes. Therefore makes the core refuse writes again.
      this.#dependencies.hold(HELD.moved);
      return;
    }
    if (!this.#isOpen) throw new WindowOver();
    // Stops the timer that would end the read-only time of the store. The next step marks the data as moved. During
    // this step the store must accept no writes, because they would not be copied.
    clearTimeout(this.#timer);
    try {
      await this.#engine.commitPaused([putMoved(moved)]);
    } catch (error) {
      this.#endWindow();
      throw error;
    }
    this.#isOpen = false;
    this.#dependencies.hold(HELD.moved);
  }

  async release(): Promise<void> {
    await this.#engine.commitPaused([deleteMoved()]);
    this.#dependencies.hold(undefined);
  }

  /** Ends the migration. If the migration has not moved the data, the store accepts writes again. */
  async close(): Promise<void> {
    this.#engine.written.stop();
    this.#endWindow();
    await this.#dependencies.onClosed?.();
  }

  #endWindow(): void {
    if (!this.#isOpen) return;
    clearTimeout(this.#timer);
    this.#isOpen = false;
    this.#dependencies.hold(undefined);
  }
}
