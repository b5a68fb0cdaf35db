import type { CopyableEngine } from './copyable-engine.ts';
import type { Operation } from './storage-engine.ts';

/**
 * Key of the entry that a store has while a migration fills it. No other key begins with `migration/`, and a core reads
 * only whether the entry exists.
 */
const MARKER_KEY = 'migration/unfinished';

/** The marker of an unfinished migration, stored in its target. It says where the entries come from. */
export interface MigrationMarker {
  /** The source of the migration in words, without secrets. */
  source: string;
  /** Digest of all entries of the source when the migration began, in hexadecimal digits. */
  fingerprint: string;
}

/** Error if a store is opened that a migration has not yet filled completely. */
export class UnfinishedMigration extends Error {
  override name = 'UnfinishedMigration';

  constructor({ source }: MigrationMarker) {
    super(
      `the store is the target of an unfinished migration from ${source}, so its data is not complete. ` +
        'Run the same gsq migrate again to finish it, or remove the copied data: gsq migrate --abort --to <store>',
    );
  }
}

/** True if the key is the one of the marker of an unfinished migration. */
export function isMarker(key: string): boolean {
  return key === MARKER_KEY;
}

/** Returns the operation that marks a store as the target of an unfinished migration. */
export function putMarker(marker: MigrationMarker): Operation {
  return { type: 'put', key: MARKER_KEY, value: Buffer.from(JSON.stringify(marker)) };
}

/** Returns the operation that removes the marker of an unfinished migration from a store. */
export function deleteMarker(): Operation {
  return { type: 'del', key: MARKER_KEY };
}

/**
 * Reads the marker of an unfinished migration from a store. Resolves to undefined if the store is not the target of an
 * unfinished migration.
 */
export async function readMarker(
  engine: Pick<CopyableEngine, 'getMany'>,
): Promise<MigrationMarker | undefined> {
  const value = (await engine.getMany([MARKER_KEY])).get(MARKER_KEY);
  if (!value) return undefined;
  try {
    return JSON.parse(value.toString()) as MigrationMarker;
  } catch {
    return { source: 'an unknown store', fingerprint: '' };
  }
}

/** Rejects with UnfinishedMigration if the store is the target of an unfinished migration. */
export async function refuseUnfinished(engine: Pick<CopyableEngine, 'getMany'>): Promise<void> {
  const marker = await readMarker(engine);
  if (marker) throw new UnfinishedMigration(marker);
}
