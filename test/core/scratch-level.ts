import type { TestContext } from 'node:test';
import { Level } from '../../core/store/level.ts';
import { scratchDirectory } from '../system/scratch-directory.ts';

/** A Level that is closed when the test ends; a write error there fails the test. */
export async function openLevel(t: TestContext, directory: string): Promise<Level> {
  const level = await Level.open(directory, error => {
    throw error;
  });
  t.after(() => level.close());
  return level;
}

/** A Level in a directory of its own. */
export function scratchLevel(t: TestContext): Promise<Level> {
  return openLevel(t, scratchDirectory());
}
