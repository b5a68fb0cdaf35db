import type { CopyableEngine } from '../store/copyable-engine.ts';
import type { MovedStore } from '../store/migration-marker.ts';
import type { StoredEntry } from '../store/storage-engine.ts';
import { type MigrationSource, WindowOver } from './source.ts';

/** Dependencies of `EngineSource`. */
export interface EngineSourceDependencies {
  /** Name of the store in messages. It contains no secrets. */
  name: string;
  engine: CopyableEngine;
  /**
   * Access to the mark that says: the data of this store was moved to another store. `moved` reads the mark, `move`
   * sets it, and `unmove` deletes it. While a core may still write to the store, `move` sets no mark and resolves to
   * false.
   */
  moving: {
    moved(): Promise<MovedStore | undefined>;
    move(moved: MovedStore): Promise<boolean>;
    unmove(): Promise<void>;
  };
  /**
   * How a migration stops the writes to its source: `begin` stops the writes of all cores that use the store, and
   * `close` allows them again. Undefined if no other process uses the store.
   */
  hold: { begin(): Promise<void>; close(): Promise<void> } | undefined;
}

/**
 * A store on Redis or Valkey as the source of a migration. It does not record which entries have changed, so the
 * migration must compare all entries.
 */
export class EngineSource implements MigrationSource {
  readonly #dependencies: EngineSourceDependencies;

  constructor(dependencies: EngineSourceDependencies) {
    this.#dependencies = dependencies;
  }

  get name(): string {
    return this.#dependencies.name;
  }

  get isLive(): boolean {
    return this.#dependencies.hold !== undefined;
  }

  moved(): Promise<MovedStore | undefined> {
    return this.#dependencies.moving.moved();
  }

  pieces(): AsyncGenerator<readonly StoredEntry[], undefined> {
    return this.#dependencies.engine.pieces();
  }

  getMany(keys: readonly string[]): Promise<Map<string, Buffer>> {
    return this.#dependencies.engine.getMany(keys);
  }

  /**
   * Does nothing. On Redis and Valkey, `hold` already makes each core write its unsaved data before the core stops
   * writing.
   */
  async settle(): Promise<void> {}

  async changes(): Promise<undefined> {}

  async hold(): Promise<void> {
    if (!(await this.moved())) await this.#dependencies.hold?.begin();
  }

  async digests(): Promise<undefined> {}

  async commit(moved: MovedStore): Promise<void> {
    if ((await this.moved())?.id === moved.id) return;
    if (!(await this.#dependencies.moving.move(moved))) throw new WindowOver();
  }

  release(): Promise<void> {
    return this.#dependencies.moving.unmove();
  }

  async close(): Promise<void> {
    await this.#dependencies.hold?.close();
    await this.#dependencies.engine.close();
  }
}
