import type { HistoryDirectories } from './history-directories.ts';
import { COMPACTED_KEY, sealEntry } from './history-entries.ts';

/**
 * Compacts a LevelDB directory once, so that replaced values no longer take disk space. After an interrupted
 * compaction, the next call tries again.
 */
export async function compactOnce(directories: HistoryDirectories, path: string): Promise<void> {
  const [mark] = (await directories.read(path, db => db.getMany([COMPACTED_KEY]))) ?? [];
  if (mark || !directories.has(path)) return;
  const value = sealEntry(COMPACTED_KEY, Buffer.alloc(0));
  await directories.write(path, async db => {
    await db.compact();
    await db.writeDurably([{ type: 'put', key: COMPACTED_KEY, value }]);
  });
}
