import type { Counted } from './counted-prefixes.ts';
import { SetDigest } from './set-digest.ts';
import type { CountedPut, Operation, StorageEngine } from './storage-engine.ts';

/**
 * Returns the operations that make the stored entries with the key prefix `prefix` equal to `entries`. Call this
 * function after a failed write, because the store can contain a part of this write. `checksumOfStored`: returns the
 * checksum of a stored entry, or undefined if the entry is damaged.
 */
export async function compareEntries(
  engine: Pick<StorageEngine, 'readAll' | 'resetDigest'>,
  prefix: Counted,
  entries: Iterable<CountedPut>,
  checksumOfStored: (key: string, value: Buffer) => number | undefined,
): Promise<Operation[]> {
  const stored = new Map<string, number | undefined>();
  await engine.readAll(prefix, (key, value) => void stored.set(key, checksumOfStored(key, value)));
  const operations: Operation[] = [];
  const digest = new SetDigest();
  for (const { key, value, adds } of entries) {
    digest.addChecksum(adds);
    if (stored.get(key) !== adds) operations.push({ type: 'put', key, value });
    stored.delete(key);
  }
  for (const key of stored.keys()) operations.push({ type: 'del', key });
  engine.resetDigest(prefix, digest);
  return operations;
}
