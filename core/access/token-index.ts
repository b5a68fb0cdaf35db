import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { SecretHash } from './secret-hash.ts';
import { hasEnded, type Tier, type Token } from './token.ts';

const HASH_BYTES = 32;
/**
 * Size of the buffer for an e-mail address and its length (two bytes), in bytes. RFC 5321, section 4.5.3.1, allows 64
 * bytes before the @ and 255 bytes after it.
 */
const EMAIL_BYTES = 512;

/** Credentials that a caller sends in the headers of a fetch. A field is an empty string if its header is missing. */
export interface Credentials {
  token: string;
  tier: Tier | string;
  email: string;
  /**
   * Cache of `verify`: the secret of these credentials, and its keyed hash. All calls of a stream share one credentials
   * object, so their secret is hashed only once.
   */
  hashed?: { secret: string; hash: string };
}

/** One secret of a token, with all data that `verify` needs to check the credentials of a caller. */
interface IndexedSecret {
  readonly token: Token;
  /** Position of this secret in the array `#all`, which contains all secrets. */
  index: number;
  /** Expiry time of the secret (Unix ms); 0 if the secret expires together with the token. */
  readonly until: number;
  /** Keyed hash of the secret, for comparison with the secrets of callers. */
  readonly hash: Buffer;
  /**
   * E-mail address that a caller must send with the token, as `writeEmail` encodes it: length, text in lower case,
   * zeros.
   */
  readonly email: Buffer;
}

/**
 * Placeholder that `verify` compares with the credentials of a caller if no token exists. It never matches, because it
 * has expired and its hashes are random.
 */
const nobody: IndexedSecret = {
  token: {
    id: '',
    secrets: [],
    tier: 'FREE',
    email: '',
    createdAt: 0,
    expiresAt: 1,
    revokedAt: 1,
    allowIps: [],
    allowDomains: [],
  },
  index: 0,
  until: 1,
  hash: randomBytes(HASH_BYTES),
  email: randomBytes(EMAIL_BYTES),
};

const givenHash = Buffer.alloc(HASH_BYTES);
const givenEmail = Buffer.alloc(EMAIL_BYTES);

/**
 * Compares two hashes in constant time. `hash` has the form that `sha256` returns. Returns 1 if they are equal, else 0.
 */
function sameHash(hash: string, expected: Buffer): number {
  givenHash.write(hash, 'latin1');
  return Number(timingSafeEqual(givenHash, expected));
}

/**
 * Writes an e-mail address in the form in which addresses are compared: its length in bytes, then its text in lower
 * case, padded with zeros to the size of the buffer.
 */
function writeEmail(email: string, to: Buffer): void {
  to.fill(0);
  to.writeUInt16LE(to.write(email.toLowerCase(), 2));
}

/**
 * Compares two e-mail addresses. Returns 1 if they are equal, else 0. The comparison takes the same time for every
 * `expected`, so its duration reveals nothing about `expected`.
 */
function sameEmail(email: string, expected: Buffer): number {
  writeEmail(email, givenEmail);
  return Number(timingSafeEqual(givenEmail, expected));
}

/**
 * Converts a stored keyed hash from hexadecimal to a string with one character per byte. `SecretHash.of` returns the
 * same form.
 */
function hashKey(hash: string): string {
  return Buffer.from(hash, 'hex').toString('latin1');
}

/** Index of all tokens in memory, keyed by token id and by the keyed hash of each secret. */
export class TokenIndex {
  readonly #hash: SecretHash;
  readonly #bySecret = new Map<string, IndexedSecret>();
  /**
   * The secrets of all tokens. `#decoy` selects one of them for the comparison with an unknown secret. The position of
   * a secret in this array is its `index`.
   */
  readonly #all: IndexedSecret[] = [];
  readonly #byId = new Map<string, Token>();

  constructor(hash: SecretHash) {
    this.#hash = hash;
  }

  get size(): number {
    return this.#byId.size;
  }

  /** Iterates over all tokens in order of insertion. */
  values(): IterableIterator<Token> {
    return this.#byId.values();
  }

  get(id: string): Token | undefined {
    return this.#byId.get(id);
  }

  /** Returns the token that has this secret, even if the secret or the token is no longer valid. */
  findBySecret(secret: string): Token | undefined {
    return this.#bySecret.get(this.#hash.of(secret))?.token;
  }

  /** Adds a token, or replaces the token with the same id. */
  set(token: Token): void {
    this.#removeSecrets(token.id);
    const email = Buffer.alloc(EMAIL_BYTES);
    writeEmail(token.email, email);
    for (const { hash, until } of token.secrets) {
      const secret = { token, index: this.#all.length, until, hash: Buffer.from(hash, 'hex'), email };
      this.#all.push(secret);
      this.#bySecret.set(hashKey(hash), secret);
    }
    this.#byId.set(token.id, token);
  }

  /** Removes a token. Does nothing if there is no token with this id. */
  remove(id: string): void {
    this.#removeSecrets(id);
    this.#byId.delete(id);
  }

  /**
   * Returns the token of the credentials. Returns undefined if they are wrong, or if the token or its secret is not
   * valid at `now` (Unix ms).
   */
  verify(credentials: Credentials, now: number): Token | undefined {
    const { token: secret, tier, email } = credentials;
    if (credentials.hashed?.secret !== secret) credentials.hashed = { secret, hash: this.#hash.of(secret) };
    const { hash } = credentials.hashed;
    // If the secret is unknown, compares it with one of the stored secrets (decoy). Refusing an unknown secret then
    // takes as long as refusing a known secret. The decoy is not always the same, because a fixed decoy would stay in
    // the CPU cache. Unknown secrets would then be refused 0.8 µs faster (npm run bench -- credentials).
    const found = this.#bySecret.get(hash) ?? this.#decoy(hash);
    const { token } = found;
    // Makes all comparisons even if the first one fails. Otherwise, the response time would reveal which part of the
    // credentials is wrong.
    const matches =
      sameHash(hash, found.hash) &
      sameEmail(email, found.email) &
      Number((tier === 'PRO') === (token.tier === 'PRO')) &
      Number(token.revokedAt === 0) &
      Number(!hasEnded(token.expiresAt, now)) &
      Number(!hasEnded(found.until, now));
    return matches === 1 ? token : undefined;
  }

  /**
   * Selects a stored secret (decoy), with which `verify` compares an unknown secret. `hash`: keyed hash of the unknown
   * secret, which determines the selected secret. Returns `nobody` if no secret is stored.
   */
  #decoy(hash: string): IndexedSecret {
    const number = hash.charCodeAt(0) | (hash.charCodeAt(1) << 8) | (hash.charCodeAt(2) << 16);
    return this.#all[number % this.#all.length] ?? nobody;
  }

  #removeSecrets(id: string): void {
    for (const { hash } of this.#byId.get(id)?.secrets ?? []) this.#removeSecret(hashKey(hash));
  }

  #removeSecret(key: string): void {
    const secret = this.#bySecret.get(key);
    const last = this.#all.at(-1);
    if (!secret || !last) return;
    this.#bySecret.delete(key);
    this.#all[secret.index] = last;
    last.index = secret.index;
    this.#all.pop();
  }
}
