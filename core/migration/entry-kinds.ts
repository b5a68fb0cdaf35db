import { createHash } from 'node:crypto';
import { readTokenEntry, TOKENS } from '../access/token-entry.ts';
import { CREDENTIALS, storedCredentials } from '../credentials/credentials-entry.ts';
import { SERVERS } from '../servers/server-entry.ts';
import { checksumOf, SetDigest } from '../store/set-digest.ts';

/**
 * Names of the kinds of stored entries, in words for the user. The kind of an entry is the text before the first slash
 * of its key, for example `s`.
 */
const NOUNS: Readonly<Record<string, string>> = {
  s: 'servers',
  c: 'credentials of servers',
  n: 'given-up servers',
  t: 'tokens',
  q: 'usage of tokens',
  u: 'last use of tokens',
  w: 'webhooks',
  d: 'queued requests of webhooks',
  l: 'sent requests of webhooks',
  i: 'messages of webhooks',
  e: 'conditions of webhooks',
  k: 'check values of keys',
};

/** Length of a digest, counted in 32-bit numbers. A digest is a checksum over a set of entries. */
const LANES = 4;

/** Number and digest of a set of entries. The order of the entries does not matter. */
class KindDigest {
  count = 0;
  /**
   * Digest of the set: four sums modulo 2^32. The first 16 bytes of the SHA-256 of an entry are four 32-bit numbers.
   * Each number is added to one of the four sums.
   */
  readonly #lanes = new Uint32Array(LANES);

  /** Adds an entry to this digest of a set of entries (`sign` is 1), or removes it from this digest (`sign` is -1). */
  add(key: string, value: Buffer, sign: 1 | -1): void {
    const hash = createHash('sha256').update(`${key}\0`).update(value).digest();
    this.count += sign;
    for (let i = 0; i < LANES; i++) this.#lanes[i] = (this.#lanes[i] ?? 0) + sign * hash.readUInt32LE(4 * i);
  }

  get text(): string {
    return Array.from(this.#lanes, lane => lane.toString(16).padStart(8, '0')).join('');
  }
}

/** Number of entries of one kind, and their digest in hexadecimal digits. */
export interface CountedKind {
  /** Name of the kind of store entries in the output for the user, such as `tokens` or `webhooks` (see `NOUNS`). */
  kind: string;
  entries: number;
  digest: string;
}

/** Counts the entries of each kind in a store, and computes the digest of each kind. */
export class EntryDigest {
  readonly #kinds = new Map<string, KindDigest>();
  readonly #counted = new Map<string, SetDigest>();

  add(key: string, value: Buffer): void {
    this.#kindOf(key).add(key, value, 1);
    const checksum = countedChecksum(key, value);
    if (checksum !== undefined) this.counted(key.slice(0, 2)).addChecksum(checksum);
  }

  /**
   * Updates the digest after an entry has changed from `before` to `after`. `before` is undefined for a new entry,
   * `after` for a removed entry.
   */
  replace(key: string, before: Buffer | undefined, after: Buffer | undefined): void {
    if (before) {
      this.#kindOf(key).add(key, before, -1);
      const checksum = countedChecksum(key, before);
      if (checksum !== undefined) this.counted(key.slice(0, 2)).subtract(checksum);
    }
    if (after) this.add(key, after);
  }

  /**
   * Returns the digest of one kind of entries in this `EntryDigest`: servers, tokens or credentials. `prefix`: start of
   * the keys of this kind. The embedded store has digests of the same form, so both can be compared.
   */
  counted(prefix: string): SetDigest {
    let digest = this.#counted.get(prefix);
    if (!digest) {
      digest = new SetDigest();
      this.#counted.set(prefix, digest);
    }
    return digest;
  }

  #kindOf(key: string): KindDigest {
    const kind = key.slice(0, Math.max(0, key.indexOf('/')));
    let digest = this.#kinds.get(kind);
    if (!digest) {
      digest = new KindDigest();
      this.#kinds.set(kind, digest);
    }
    return digest;
  }

  /** Number of entries in this `EntryDigest`: servers, tokens, webhooks and all other kinds together. */
  get total(): number {
    return [...this.#kinds.values()].reduce((sum, { count }) => sum + count, 0);
  }

  /**
   * The number and the digest (checksum) of the counted entries, for each kind of entry. The kinds are in a fixed
   * order. Kinds without entries are left out.
   */
  get kinds(): CountedKind[] {
    const order = Object.keys(NOUNS);
    const place = (kind: string): number => (order.includes(kind) ? order.indexOf(kind) : order.length);
    return [...this.#kinds]
      .filter(([, { count }]) => count > 0)
      .sort(([a], [b]) => place(a) - place(b) || (a < b ? -1 : 1))
      .map(([kind, { count, text }]) => ({ kind: NOUNS[kind] ?? `${kind}/`, entries: count, digest: text }));
  }

  /** Digest of all added entries of all kinds, in hexadecimal digits. Equal sets of entries have the same digest. */
  get fingerprint(): string {
    return createHash('sha256').update(JSON.stringify(this.kinds)).digest('hex').slice(0, 32);
  }
}

/**
 * Returns the checksum of a stored entry about a server, a token or credentials; undefined for all other entries. The
 * embedded store uses the same checksums. Therefore the migration can compare its own digests with those of the store.
 */
export function countedChecksum(key: string, value: Buffer): number | undefined {
  if (key.startsWith(SERVERS)) return checksumOf(key.slice(SERVERS.length));
  if (key.startsWith(TOKENS)) return readTokenEntry(key, value)?.checksum;
  if (key.startsWith(CREDENTIALS)) return storedCredentials(key, value)?.checksum;
  return undefined;
}
