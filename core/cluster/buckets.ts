import { crc32 } from 'node:zlib';

/**
 * Number of buckets that contain servers. All servers of a bucket have the same owner (a core). The host of a server
 * determines its bucket. If this number changed, nearly all servers would move to other buckets.
 */
export const SERVER_BUCKETS = 4096;
/**
 * Number of buckets (groups of store entries) that contain accounts: tokens, webhooks and other entries that belong to
 * no server. These buckets are numbered after the buckets that contain servers. One core, the lead, owns all of them.
 */
const ACCOUNT_BUCKETS = 64;
/** Number of all buckets: those with servers, and those with accounts (tokens and webhooks). */
export const ALL_BUCKETS = SERVER_BUCKETS + ACCOUNT_BUCKETS;

/** Kinds of store entries whose key ends with a `serverKey`, which is the game id, a space and `host:port`. */
const SERVER_KINDS: ReadonlySet<string> = new Set(['s', 'c', 'n']);
/**
 * Kinds of store entries that belong to a token or a webhook. Their keys have the form `<kind>/<id>` or
 * `<kind>/<id>/…`, with the id of the token or webhook.
 */
const OWNED_KINDS: ReadonlySet<string> = new Set(['t', 'q', 'u', 'w', 'd', 'l', 'i', 'e']);

/** True if the bucket with this number contains accounts, and not servers. */
export function isAccountBucket(bucket: number): boolean {
  return bucket >= SERVER_BUCKETS;
}

/** The numbers of all buckets that contain accounts. */
export const ACCOUNT_BUCKET_NUMBERS: readonly number[] = Array.from(
  { length: ACCOUNT_BUCKETS },
  (_, i) => SERVER_BUCKETS + i,
);

/**
 * True if store entries of this kind contain data of servers. Other kinds contain, for example, tokens and webhooks.
 * `kind`: the key of an entry up to the first slash.
 */
export function isServerKind(kind: string): boolean {
  return SERVER_KINDS.has(kind);
}

/** Splits the key of a store entry at its first slash: `t/a` has the kind `t` and the field `a`. */
export function splitEntryKey(key: string): { kind: string; field: string } {
  const slash = key.indexOf('/');
  return slash < 0 ? { kind: '', field: key } : { kind: key.slice(0, slash), field: key.slice(slash + 1) };
}

/**
 * Returns the number of the bucket to which an entry belongs, from 0 to ALL_BUCKETS - 1. All servers of one host are in
 * the same bucket, and so are all entries of one token or one webhook.
 */
export function bucketOf(key: string): number {
  const { kind, field } = splitEntryKey(key);
  if (SERVER_KINDS.has(kind)) return bucketOfServer(field);
  const slash = OWNED_KINDS.has(kind) ? field.indexOf('/') : -1;
  const placedBy = OWNED_KINDS.has(kind) ? (slash < 0 ? field : field.slice(0, slash)) : key;
  return SERVER_BUCKETS + (crc32(placedBy) % ACCOUNT_BUCKETS);
}

/**
 * Returns the number of the bucket to which a server belongs. `key`: its `serverKey`, which is the game id, a space and
 * `host:port`.
 */
export function bucketOfServer(key: string): number {
  const host = key.indexOf(' ') + 1;
  const colon = key.lastIndexOf(':');
  return crc32(key.slice(host, colon < host ? key.length : colon)) % SERVER_BUCKETS;
}

/** Returns the hash tag of a bucket. In Redis or Valkey, the hash tag determines the hash slot of the bucket's keys. */
export function tagOfBucket(bucket: number): string {
  return isAccountBucket(bucket) ? `a${bucket - SERVER_BUCKETS}` : String(bucket);
}
