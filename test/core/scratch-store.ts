import type { TestContext } from 'node:test';
import { LevelDbStore } from '../../core/store/leveldb/leveldb-store.ts';
import { scratchDirectory } from '../system/scratch-directory.ts';

/** A LevelDbStore that is closed when the test ends; a write error there fails the test. */
export async function openLevel(t: TestContext, directory: string): Promise<LevelDbStore> {
  const level = await LevelDbStore.open(directory, error => {
    throw error;
  });
  t.after(() => level.close());
  return level;
}

/** A LevelDbStore in a directory of its own. */
export function scratchLevel(t: TestContext): Promise<LevelDbStore> {
  return openLevel(t, scratchDirectory());
}
