import { randomBytes, timingSafeEqual } from 'node:crypto';
import { ConfigError } from '../../runtime/config.ts';
import type { Level } from '../store/level.ts';
import { SecretHash, sha256 } from './secret-hash.ts';
import { hasEnded, type Tier, type Token } from './token.ts';
import { makeTokenKey, newKeyCommand, readTokenKey, tokenKeyPath } from './token-key.ts';

const PREFIX = 't/';
const HASH_BYTES = 32;

/** What a caller shows: SPEC, fetch headers. Empty strings where a header was missing. */
export interface Credentials {
  token: string;
  tier: Tier | string;
  email: string;
}

/** A token as releases before keyed hashes stored it: the SHA-256 of its one secret, hexadecimal. */
type UnkeyedToken = Omit<Token, 'secrets'> & { hash: string };

/** One secret and all it is compared with. */
interface Held {
  readonly token: Token;
  slot: number;
  /** When the secret ends; 0: with the token. */
  readonly until: number;
  /** Keyed hash of the secret. */
  readonly secret: Buffer;
  /** SHA-256 of the e-mail: so any two are compared as 32 bytes. */
  readonly email: Buffer;
}

/** What a secret is compared with where there is no token at all: it has ended, and its hashes are nobody's. */
const nobody: Held = {
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
  slot: 0,
  until: 1,
  secret: randomBytes(HASH_BYTES),
  email: randomBytes(HASH_BYTES),
};

const given = Buffer.alloc(HASH_BYTES);

/** Compares a hash in the form of `sha256` in constant time; 1 where it is the same. */
function same(hash: string, expected: Buffer): number {
  given.write(hash, 'latin1');
  return Number(timingSafeEqual(given, expected));
}

function encoded(token: Token) {
  return { type: 'put', key: PREFIX + token.id, value: Buffer.from(JSON.stringify(token)) } as const;
}

function keyGone(directory: string, count: number): ConfigError {
  return new ConfigError(
    `GSQ_DATA_DIR: ${tokenKeyPath(directory)} is gone, and without it none of the ${count} stored tokens can be recognised; ` +
      'restore it from the backup of this directory. If it is lost for good, make another with ' +
      `${newKeyCommand(directory)} and give each token a new secret: gsq token rotate <id>`,
  );
}

/** All tokens: in memory by the keyed hash of their secrets, durably in the store. */
export class Tokens {
  readonly #level: Level;
  readonly #hash: SecretHash;
  readonly #bySecret = new Map<string, Held>();
  /** The same, each at its `slot`. */
  readonly #held: Held[] = [];
  readonly #byId = new Map<string, Token>();

  private constructor(level: Level, hash: SecretHash) {
    this.#level = level;
    this.#hash = hash;
  }

  /**
   * Reads all tokens and the key of the data directory, which it makes where there is none yet. Rejects with ConfigError
   * where that key cannot be used, or is gone though there are tokens.
   */
  static async load(level: Level, directory: string): Promise<Tokens> {
    const keyed: Token[] = [];
    const unkeyed: UnkeyedToken[] = [];
    for await (const [, value] of level.entries(PREFIX)) {
      const stored = JSON.parse(value.toString()) as Token | UnkeyedToken;
      if ('secrets' in stored) keyed.push(stored);
      else unkeyed.push(stored);
    }
    const key = readTokenKey(directory);
    if (!key && keyed.length > 0) throw keyGone(directory, keyed.length);
    const tokens = new Tokens(level, new SecretHash(key ?? makeTokenKey(directory)));
    for (const token of keyed) tokens.#hold(token);
    await tokens.#carryOver(unkeyed);
    return tokens;
  }

  get size(): number {
    return this.#byId.size;
  }

  /** In order of creation. */
  list(): Token[] {
    return [...this.#byId.values()].sort((a, b) => a.createdAt - b.createdAt);
  }

  get(id: string): Token | undefined {
    return this.#byId.get(id);
  }

  /** What a token stores of a secret, hexadecimal. */
  hashOf(secret: string): string {
    return Buffer.from(this.#hash.of(secret), 'latin1').toString('hex');
  }

  /** The token of a secret, be they valid or not. */
  findBySecret(secret: string): Token | undefined {
    return this.#bySecret.get(this.#hash.of(secret))?.token;
  }

  /**
   * The token that credentials belong to, where it may be used at `now`. Whatever of them is wrong, the same is
   * computed, all of it, so that how long it takes tells nothing. A secret nobody has is compared with another one: were
   * that the same each time, it would be in the processor's caches, and known secrets 0.8 µs slower (npm run bench --
   * credentials).
   */
  verify({ token: secret, tier, email }: Credentials, now: number): Token | undefined {
    const hash = this.#hash.of(secret);
    const held = this.#bySecret.get(hash) ?? this.#another(hash);
    const { token } = held;
    const fits =
      same(hash, held.secret) &
      same(sha256(email.toLowerCase()), held.email) &
      Number((tier === 'PRO') === (token.tier === 'PRO')) &
      Number(token.revokedAt === 0) &
      Number(!hasEnded(token.expiresAt, now)) &
      Number(!hasEnded(held.until, now));
    return fits === 1 ? token : undefined;
  }

  /** Stores a new or changed token; resolves when it is durable, and only then does it count. */
  async put(token: Token): Promise<void> {
    await this.#level.commit([encoded(token)]);
    this.#hold(token);
  }

  /** Stores tokens with keyed hashes that were stored without; their secrets stay as they are. */
  async #carryOver(unkeyed: readonly UnkeyedToken[]): Promise<void> {
    if (unkeyed.length === 0) return;
    const tokens = unkeyed.map(({ hash, ...rest }): Token => {
      const keyed = this.#hash.ofDigest(Buffer.from(hash, 'hex').toString('latin1'));
      return { ...rest, secrets: [{ hash: Buffer.from(keyed, 'latin1').toString('hex'), until: 0 }] };
    });
    await this.#level.commit(tokens.map(encoded));
    for (const token of tokens) this.#hold(token);
  }

  /** One held secret, as good as at random; which one, only the key tells. */
  #another(hash: string): Held {
    const number = hash.charCodeAt(0) | (hash.charCodeAt(1) << 8) | (hash.charCodeAt(2) << 16);
    return this.#held[number % this.#held.length] ?? nobody;
  }

  #drop(key: string): void {
    const held = this.#bySecret.get(key);
    const last = this.#held.at(-1);
    if (!held || !last) return;
    this.#bySecret.delete(key);
    this.#held[held.slot] = last;
    last.slot = held.slot;
    this.#held.pop();
  }

  #hold(token: Token): void {
    for (const { hash } of this.#byId.get(token.id)?.secrets ?? []) this.#drop(mapKey(hash));
    const email = Buffer.from(sha256(token.email), 'latin1');
    for (const { hash, until } of token.secrets) {
      const held = { token, slot: this.#held.length, until, secret: Buffer.from(hash, 'hex'), email };
      this.#held.push(held);
      this.#bySecret.set(mapKey(hash), held);
    }
    this.#byId.set(token.id, token);
  }
}

/** A keyed hash as `SecretHash` gives it, of the form it is stored in. */
function mapKey(hash: string): string {
  return Buffer.from(hash, 'hex').toString('latin1');
}
