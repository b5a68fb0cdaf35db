import type { Operation, StorageEngine } from '../store/storage-engine.ts';

/**
 * Returns the operations that make all stored entries with a key prefix equal to `entries`, which are keyed by store
 * key. For use after a failed write.
 */
export async function compareStored(
  engine: Pick<StorageEngine, 'readAll'>,
  prefix: string,
  entries: ReadonlyMap<string, Buffer>,
): Promise<Operation[]> {
  const operations: Operation[] = [];
  const missing = new Map(entries);
  await engine.readAll(prefix, (key, value) => {
    const wanted = entries.get(key);
    if (wanted === undefined) operations.push({ type: 'del', key });
    else if (wanted.equals(value)) missing.delete(key);
  });
  for (const [key, value] of missing) operations.push({ type: 'put', key, value });
  return operations;
}
