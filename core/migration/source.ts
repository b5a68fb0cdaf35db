import type { Counted } from '../store/counted-prefixes.ts';
import type { MovedStore } from '../store/migration-marker.ts';
import type { SetDigest } from '../store/set-digest.ts';
import type { StoredEntry } from '../store/storage-engine.ts';

/**
 * Reports the progress of a migration. `phase`: what the migration does now. `done`: number of entries that this phase
 * has handled, of `total` entries. `total` is undefined if it is not known yet.
 */
export type ShowProgress = (phase: string, done: number, total: number | undefined) => void;

/** Entries of a migration's source that have changed: one result of `MigrationSource.changes`. */
export interface Changes {
  entries: readonly StoredEntry[];
  /** Keys of the deleted entries. */
  removed: readonly string[];
  /** Number of further changed entries, which later calls of `changes` return. */
  left: number;
}

/**
 * The store from which a migration copies. Cores can use the store until the migration calls `hold`. The methods skip
 * the entry with the store's own state, such as the version of its format.
 */
export interface MigrationSource {
  /** Readable name of the store, for messages to the operator. Contains no secrets. */
  readonly name: string;
  /**
   * True if cores can change the store while the migration copies it. False if nobody changes it during the migration.
   */
  readonly isLive: boolean;
  /** Resolves to the store to which the data of this store was moved; undefined if the data was not moved. */
  moved(): Promise<MovedStore | undefined>;
  /**
   * Yields all entries of the source, in batches. An entry that changes while the entries are read can have its old or
   * its new value.
   */
  pieces(): AsyncGenerator<readonly StoredEntry[], undefined>;
  /** Returns the stored values of entries. If an entry is not stored, its key is not in the map. */
  getMany(keys: readonly string[]): Promise<Map<string, Buffer>>;
  /**
   * Makes the cores write data that is only in their memory. These writes can take long. Call this method before
   * `hold`, so that the store is read-only, and accepts no new servers, for a shorter time.
   */
  settle(): Promise<void>;
  /**
   * Resolves to some of the entries that have changed since the source was opened; each call returns further ones.
   * Resolves to undefined if the source does not record its changes; the migration must then compare all entries.
   */
  changes(): Promise<Changes | undefined>;
  /**
   * Makes this store read-only: after the promise resolves, no entry of the store changes. The store accepts writes
   * again if this process ends without `commit`. Rejects if the store cannot be made read-only.
   */
  hold(): Promise<void>;
  /**
   * Returns the digests (checksums over sets of entries) that this store itself keeps. Returns undefined if the store
   * keeps no digests.
   */
  digests(): Promise<ReadonlyMap<Counted, SetDigest> | undefined>;
  /**
   * Marks this store durably as moved to another store. From then on, no core writes to this store, even if this
   * process is killed. Rejects if the read-only window (see `hold`) has already ended.
   */
  commit(moved: MovedStore): Promise<void>;
  /**
   * Removes the mark "moved to another store" that `commit` has written, so that cores can write to the source again.
   */
  release(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Thrown if the source of a migration accepts writes again before the migration is finished. `hold` makes the source
 * read-only for a limited time.
 */
export class WindowOver extends Error {
  override name = 'WindowOver';

  constructor() {
    super('the read-only window has ended before the migration was finished; run the same command again');
  }
}
