import type { LevelDbStore } from '../../../../core/store/leveldb/leveldb-store.ts';
import type { Operation } from '../../../../core/store/storage-engine.ts';

/** Returns an operation that writes one entry. The value is the key if no value is given. */
export const put = (key: string, value = key): Operation => ({ type: 'put', key, value: Buffer.from(value) });

/** Returns the keys of all entries with a prefix, in the order in which entries() yields them. */
export async function keysOf(engine: LevelDbStore, prefix = '', after?: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const [key] of engine.entries(prefix, after)) keys.push(key);
  return keys;
}
