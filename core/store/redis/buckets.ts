import { ALL_BUCKETS, tagOfBucket } from '../../cluster/buckets.ts';

/**
 * Last part of the Redis or Valkey key of a fence, the value that says which core owns a bucket (group of servers). The
 * key of a hash with stored entries ends with the kind of these entries. Therefore no kind of entries can have the name
 * `f`.
 */
const FENCE = 'f';

/** Returns the key of a stored entry: its kind and its field, joined with a slash. Inverse of `splitEntryKey`. */
export function entryKeyOf(kind: string, field: string): string {
  return kind === '' ? field : `${kind}/${field}`;
}

/**
 * Returns the Redis or Valkey key of the value that says which core owns a bucket, a group of servers (see `Fence`).
 */
export function fenceKey(bucket: number): string {
  return `gsq:{${tagOfBucket(bucket)}}:${FENCE}`;
}

/**
 * Keys of the Redis or Valkey hashes that contain the entries of the store. Map key: kind of the entries. Array index:
 * number of the bucket.
 */
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
 * Pattern for the command SCAN that matches the Redis or Valkey keys of all buckets: the hashes with the stored
 * entries, and the fences, which name the owners (see `Fence`).
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
