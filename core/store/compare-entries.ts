import type { Counted } from './counted-prefixes.ts';
import { SetDigest } from './set-digest.ts';
import type { CountedPut, Operation, StorageEngine } from './storage-engine.ts';

/**
 * Compares the entries of a counted prefix that an engine holds after a failed write with `entries`, which are what was
 * acknowledged. Returns what to write so that both are the same. `checksumOfStored`: the checksum of a stored entry,
 * undefined if it is not what was written.
 */
export async function compareEntries(
  engine: StorageEngine,
  prefix: Counted,
  entries: Iterable<CountedPut>,
  checksumOfStored: (key: string, value: Buffer) => number | undefined,
): Promise<Operation[]> {
  const stored = new Map<string, number | undefined>();
  await engine.readAll(prefix, (key, value) => void stored.set(key, checksumOfStored(key, value)));
  const operations: Operation[] = [];
  const digest = new SetDigest();
  for (const { key, value, adds } of entries) {
    digest.add(adds);
    if (stored.get(key) !== adds) operations.push({ type: 'put', key, value });
    stored.delete(key);
  }
  for (const key of stored.keys()) operations.push({ type: 'del', key });
  engine.resetDigest(prefix, digest);
  return operations;
}
