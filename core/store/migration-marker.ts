import type { CopyableEngine } from './copyable-engine.ts';
import type { Operation } from './storage-engine.ts';

/** Key of the entry that marks a store as the target of an unfinished migration. */
const UNFINISHED_KEY = 'migration/unfinished';
/** Key of the entry that an embedded store has after its data was moved to another store. */
const MOVED_KEY = 'migration/moved';

/**
 * Marker of an unfinished migration. It is stored in the target of the migration, and describes the source of the
 * entries.
 */
export interface MigrationMarker {
  /** Describes the source of the migration, in words for people. Contains no secrets. */
  source: string;
  /** Random id of the migration. A migration that is continued keeps its id. */
  id: string;
  /**
   * True if the migration has perhaps marked its source store as moved (`MovedStore`). The flag is stored before the
   * mark. So if a crash happens in between, the flag is true, but the source has no mark.
   */
  isClosing: boolean;
}

/** Marker of a store whose data was moved to another store. No core writes to such a store. */
export interface MovedStore {
  /** Describes the store to which the data was moved, in words for people. Contains no secrets. */
  target: string;
  /** Id of the migration, as in the marker of its target (`MigrationMarker`). */
  id: string;
}

/** Error for a store that nobody may open, because a migration has not filled it completely yet. */
export class UnfinishedMigration extends Error {
  override name = 'UnfinishedMigration';

  constructor({ source }: MigrationMarker) {
    super(
      `the store is the target of an unfinished migration from ${source}, so its data is not complete. ` +
        'Run the same gsq migrate again to finish it, or remove the copied data: gsq migrate --abort --to <store>',
    );
  }
}

/** Error if a core opens a store whose data was moved to another store. */
export class StoreMoved extends Error {
  override name = 'StoreMoved';

  constructor({ target }: MovedStore) {
    super(
      `the data of this store was moved to ${target}, so this store is outdated. ` +
        'Set GSQ_STORE to that store. If you want to go back to this store, copy the data back first: gsq migrate',
    );
  }
}

/**
 * True if `key` is the key of a migration marker. A migration does not copy its markers. No other key begins with
 * `migration/`.
 */
export function isMarker(key: string): boolean {
  return key === UNFINISHED_KEY || key === MOVED_KEY;
}

/** Returns the operation that marks a store as the target of an unfinished migration. */
export function putMarker(marker: MigrationMarker): Operation {
  return { type: 'put', key: UNFINISHED_KEY, value: Buffer.from(JSON.stringify(marker)) };
}

/** Returns the operation that removes the marker of an unfinished migration from a store. */
export function deleteMarker(): Operation {
  return { type: 'del', key: UNFINISHED_KEY };
}

/** Returns the operation that marks an embedded store as moved to another store. */
export function putMoved(moved: MovedStore): Operation {
  return { type: 'put', key: MOVED_KEY, value: Buffer.from(JSON.stringify(moved)) };
}

/** Returns the operation that makes an embedded store usable again after its data was moved to another store. */
export function deleteMoved(): Operation {
  return { type: 'del', key: MOVED_KEY };
}

type Reader = Pick<CopyableEngine, 'getMany'>;

async function readJson<Marker>(engine: Reader, key: string, unknown: Marker): Promise<Marker | undefined> {
  const value = (await engine.getMany([key])).get(key);
  if (!value) return undefined;
  try {
    return JSON.parse(value.toString()) as Marker;
  } catch {
    return unknown;
  }
}

/**
 * Reads the marker of an unfinished migration from a store. Resolves to undefined if the store is not the target of an
 * unfinished migration.
 */
export function readMarker(engine: Reader): Promise<MigrationMarker | undefined> {
  return readJson(engine, UNFINISHED_KEY, { source: 'an unknown store', id: '', isClosing: true });
}

/**
 * Reads the marker which says that the data of an embedded store was moved to another store (`MovedStore`). The marker
 * names the new store. Resolves to undefined if there is no marker, because the data was not moved.
 */
export function readMoved(engine: Reader): Promise<MovedStore | undefined> {
  return readJson(engine, MOVED_KEY, { target: 'an unknown store', id: '' });
}

/** Rejects with UnfinishedMigration if the store is the target of an unfinished migration. */
export async function refuseUnfinished(engine: Reader): Promise<void> {
  const marker = await readMarker(engine);
  if (marker) throw new UnfinishedMigration(marker);
}

/**
 * Rejects with UnfinishedMigration if the store is the target of an unfinished migration. Rejects with StoreMoved if
 * the data of the store was moved to another store.
 */
export async function refuseMarked(engine: Reader): Promise<void> {
  await refuseUnfinished(engine);
  const moved = await readMoved(engine);
  if (moved) throw new StoreMoved(moved);
}
