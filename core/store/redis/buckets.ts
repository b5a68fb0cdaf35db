import { crc32 } from 'node:zlib';

/**
 * Number of buckets over which the entries of the store are spread. Each bucket has one owner, the core that is allowed
 * to write to the bucket. The number is part of the data format: a different number moves nearly all entries.
 */
export const BUCKETS = 4096;

/** Kinds of entries whose key ends with a `serverKey`, which is the game id, a space and `host:port`. */
const SERVER_KINDS: ReadonlySet<string> = new Set(['s', 'c', 'n']);
/**
 * Kinds of entries whose key starts with the id of a token or of a webhook. After the id, the key ends or continues
 * with a slash.
 */
const OWNED_KINDS: ReadonlySet<string> = new Set(['t', 'q', 'u', 'w', 'd', 'l', 'i', 'e']);
/**
 * Name of the fence (see `Fence`) in the engine keys of a bucket, in the place of a kind of entries. No kind of entries
 * is allowed to have this name.
 */
const FENCE = 'f';

/** Splits the key of an entry at its first slash into kind and field: `t/a` has the kind `t` and the field `a`. */
export function splitEntryKey(key: string): { kind: string; field: string } {
  const slash = key.indexOf('/');
  return slash < 0 ? { kind: '', field: key } : { kind: key.slice(0, slash), field: key.slice(slash + 1) };
}

/** Joins a kind and a field to the key of an entry, with a slash. Inverse of `splitEntryKey`. */
export function entryKeyOf(kind: string, field: string): string {
  return kind === '' ? field : `${kind}/${field}`;
}

/**
 * Returns the bucket of an entry, from 0 to BUCKETS - 1. All servers of one host are in the same bucket, and so are all
 * entries of one token or one webhook.
 */
export function bucketOf(key: string): number {
  return crc32(placedBy(key)) % BUCKETS;
}

/** Returns the part of an entry key that determines the bucket of the entry. */
function placedBy(key: string): string {
  const { kind, field } = splitEntryKey(key);
  if (SERVER_KINDS.has(kind)) {
    const host = field.indexOf(' ') + 1;
    const colon = field.lastIndexOf(':');
    return field.slice(host, colon < host ? field.length : colon);
  }
  if (!OWNED_KINDS.has(kind)) return key;
  const slash = field.indexOf('/');
  return slash < 0 ? field : field.slice(0, slash);
}

/** Returns the key under which Redis or Valkey stores the fence of a bucket. */
export function fenceKey(bucket: number): string {
  return `gsq:{${bucket}}:${FENCE}`;
}

/** For each kind of entries: the keys of its hashes in Redis or Valkey, indexed by bucket. */
const hashKeys = new Map<string, readonly string[]>();

/** Returns the key of the Redis or Valkey hash that contains the entries of one kind in one bucket. */
export function hashKey(bucket: number, kind: string): string {
  let keys = hashKeys.get(kind);
  if (!keys) {
    if (kind === FENCE)
      throw new Error(`"${FENCE}/" cannot be a key prefix: "${FENCE}" is the fence of a bucket`);
    keys = Array.from({ length: BUCKETS }, (_, i) => `gsq:{${i}}:${kind}`);
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
  const kind = /^gsq:\{\d+\}:(.*)$/s.exec(key)?.[1];
  return kind === FENCE ? undefined : kind;
}
