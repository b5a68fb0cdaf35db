import { ALL_BUCKETS, tagOfBucket } from '../../cluster/buckets.ts';

/**
 * Name of the fence (see `Fence`) in the engine keys of a bucket, in the place of a kind of entries. No kind of entries
 * is allowed to have this name.
 */
const FENCE = 'f';

/** Joins a kind and a field to the key of an entry, with a slash. Inverse of `splitEntryKey`. */
export function entryKeyOf(kind: string, field: string): string {
  return kind === '' ? field : `${kind}/${field}`;
}

/** Returns the key under which Redis or Valkey stores the fence of a bucket. */
export function fenceKey(bucket: number): string {
  return `gsq:{${tagOfBucket(bucket)}}:${FENCE}`;
}

/** For each kind of entries: the keys of its hashes in Redis or Valkey, indexed by bucket. */
const hashKeys = new Map<string, readonly string[]>();

/** Returns the key of the Redis or Valkey hash that contains the entries of one kind in one bucket. */
export function hashKey(bucket: number, kind: string): string {
  let keys = hashKeys.get(kind);
  if (!keys) {
    if (kind === FENCE)
      throw new Error(`"${FENCE}/" cannot be a key prefix: "${FENCE}" is the fence of a bucket`);
    keys = Array.from({ length: ALL_BUCKETS }, (_, i) => `gsq:{${tagOfBucket(i)}}:${kind}`);
    hashKeys.set(kind, keys);
  }
  return keys[bucket] ?? '';
}

/**
 * Pattern of the keys of all hashes with entries in Redis or Valkey, for SCAN. The pattern also matches the keys of the
 * fences.
 */
export const HASH_PATTERN = 'gsq:{*}:*';

/**
 * Returns the kind of the entries in the Redis or Valkey hash with this key. Returns undefined if the key is not the
 * key of a hash with entries.
 */
export function kindOfHash(key: string): string | undefined {
  const kind = /^gsq:\{a?\d+\}:(.*)$/s.exec(key)?.[1];
  return kind === FENCE ? undefined : kind;
}
