import type { TestContext } from 'node:test';
import { LevelDbStore } from '../../core/store/leveldb/leveldb-store.ts';
import { scratchDirectory } from '../system/scratch-directory.ts';

/** Opens a LevelDbStore and closes it when the test ends. A write error fails the test. */
export async function openEngine(t: TestContext, directory: string): Promise<LevelDbStore> {
  const engine = await LevelDbStore.open(directory, error => {
    throw error;
  });
  t.after(() => engine.close());
  return engine;
}

/** Opens a LevelDbStore in a new temporary directory. */
export function scratchEngine(t: TestContext): Promise<LevelDbStore> {
  return openEngine(t, scratchDirectory());
}
