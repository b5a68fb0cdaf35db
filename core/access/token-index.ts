import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { SecretHash } from './secret-hash.ts';
import { hasEnded, type Tier, type Token } from './token.ts';

const HASH_BYTES = 32;
/** More than any address needs (RFC 5321, 4.5.3.1: 64 before the @ and 255 behind it). */
const EMAIL_BYTES = 512;

/** What a caller sends to prove who it is: SPEC, fetch headers. Empty strings if a header is missing. */
export interface Credentials {
  token: string;
  tier: Tier | string;
  email: string;
  /** A secret and its keyed hash, cached by `verify`: the credentials of a stream are used for many calls. */
  hashed?: { secret: string; hash: string };
}

/** One secret of a token, and everything that credentials are compared with. */
interface IndexedSecret {
  readonly token: Token;
  /** Index in `#all`. */
  index: number;
  /** When the secret ends, in ms since the Unix epoch; 0: with the token. */
  readonly until: number;
  /** Keyed hash of the secret. */
  readonly hash: Buffer;
  /** E-mail of the token, as `writeEmail` writes it. */
  readonly email: Buffer;
}

/** What credentials are compared with if there is no token at all: it has ended, and its hashes are random. */
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

/** Compares a hash in the form of `sha256` in constant time; 1 if it is the same. */
function sameHash(hash: string, expected: Buffer): number {
  givenHash.write(hash, 'latin1');
  return Number(timingSafeEqual(givenHash, expected));
}

/** Writes an e-mail as it is compared: its length in bytes and its text, padded to EMAIL_BYTES. */
function writeEmail(email: string, to: Buffer): void {
  to.fill(0);
  to.writeUInt16LE(to.write(email.toLowerCase(), 2));
}

/** Compares an e-mail in a time that depends on the given one alone; 1 if it is the same. */
function sameEmail(email: string, expected: Buffer): number {
  writeEmail(email, givenEmail);
  return Number(timingSafeEqual(givenEmail, expected));
}

/** A keyed hash in the form of `SecretHash.of`, from the hexadecimal form in which it is stored. */
function hashKey(hash: string): string {
  return Buffer.from(hash, 'hex').toString('latin1');
}

/** All tokens in memory, by id and by the keyed hash of each of their secrets. */
export class TokenIndex {
  readonly #hash: SecretHash;
  readonly #bySecret = new Map<string, IndexedSecret>();
  /** The same secrets, each at its `index`. */
  readonly #all: IndexedSecret[] = [];
  readonly #byId = new Map<string, Token>();

  constructor(hash: SecretHash) {
    this.#hash = hash;
  }

  get size(): number {
    return this.#byId.size;
  }

  /** In order of insertion. */
  values(): IterableIterator<Token> {
    return this.#byId.values();
  }

  get(id: string): Token | undefined {
    return this.#byId.get(id);
  }

  /** The token that has a secret, whether or not they are valid. */
  findBySecret(secret: string): Token | undefined {
    return this.#bySecret.get(this.#hash.of(secret))?.token;
  }

  /** Adds a token, or replaces the one of its id. */
  set(token: Token): void {
    for (const { hash } of this.#byId.get(token.id)?.secrets ?? []) this.#removeSecret(hashKey(hash));
    const email = Buffer.alloc(EMAIL_BYTES);
    writeEmail(token.email, email);
    for (const { hash, until } of token.secrets) {
      const secret = { token, index: this.#all.length, until, hash: Buffer.from(hash, 'hex'), email };
      this.#all.push(secret);
      this.#bySecret.set(hashKey(hash), secret);
    }
    this.#byId.set(token.id, token);
  }

  /**
   * The token that credentials belong to, if it may be used at `now`, ms since the Unix epoch. Whatever of them is wrong,
   * everything is compared, so that the time it takes tells nothing. A secret that nobody has is compared with one chosen
   * by its hash: if that were always the same one, it would stay in the processor's caches, and known secrets would be
   * 0.8 µs slower (npm run bench -- credentials).
   */
  verify(credentials: Credentials, now: number): Token | undefined {
    const { token: secret, tier, email } = credentials;
    if (credentials.hashed?.secret !== secret) credentials.hashed = { secret, hash: this.#hash.of(secret) };
    const { hash } = credentials.hashed;
    const found = this.#bySecret.get(hash) ?? this.#decoy(hash);
    const { token } = found;
    const matches =
      sameHash(hash, found.hash) &
      sameEmail(email, found.email) &
      Number((tier === 'PRO') === (token.tier === 'PRO')) &
      Number(token.revokedAt === 0) &
      Number(!hasEnded(token.expiresAt, now)) &
      Number(!hasEnded(found.until, now));
    return matches === 1 ? token : undefined;
  }

  /** Some secret to compare an unknown one with; only the key of the hash tells which. */
  #decoy(hash: string): IndexedSecret {
    const number = hash.charCodeAt(0) | (hash.charCodeAt(1) << 8) | (hash.charCodeAt(2) << 16);
    return this.#all[number % this.#all.length] ?? nobody;
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
