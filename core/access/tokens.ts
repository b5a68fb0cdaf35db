import { randomBytes, timingSafeEqual } from 'node:crypto';
import { ConfigError } from '../../runtime/config.ts';
import { addChecksum, checkedContent, isChecksummed } from '../store/checksummed.ts';
import type { LevelDbStore, Operation } from '../store/leveldb/leveldb-store.ts';
import { digestOf, SetDigest } from '../store/set-digest.ts';
import { named } from '../store/store-damage.ts';
import { SecretHash } from './secret-hash.ts';
import { hasEnded, type Tier, type Token } from './token.ts';
import { makeTokenKey, newKeyCommand, readTokenKey, tokenKeyPath } from './token-key.ts';

const PREFIX = 't/';
const HASH_BYTES = 32;
/** More than any address needs (RFC 5321, 4.5.3.1: 64 before the @ and 255 behind it). */
const EMAIL_BYTES = 512;

/** What a caller shows: SPEC, fetch headers. Empty strings where a header was missing. */
export interface Credentials {
  token: string;
  tier: Tier | string;
  email: string;
  /** A secret and its keyed hash, kept here once it was made: the credentials of a stream stand for many calls. */
  hashed?: { secret: string; hash: string };
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
  /** What `writeEmail` makes of its e-mail. */
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
  email: randomBytes(EMAIL_BYTES),
};

const given = Buffer.alloc(HASH_BYTES);
const givenEmail = Buffer.alloc(EMAIL_BYTES);

/** Compares a hash in the form of `sha256` in constant time; 1 where it is the same. */
function same(hash: string, expected: Buffer): number {
  given.write(hash, 'latin1');
  return Number(timingSafeEqual(given, expected));
}

/** An e-mail as it is compared: its length in bytes and itself, in as many bytes as any other. */
function writeEmail(email: string, to: Buffer): void {
  to.fill(0);
  to.writeUInt16LE(to.write(email.toLowerCase(), 2));
}

/** Compares an e-mail as given with one as held, in a time that only the given one decides; 1 where it is the same. */
function sameEmail(email: string, expected: Buffer): number {
  writeEmail(email, givenEmail);
  return Number(timingSafeEqual(givenEmail, expected));
}

/** A token as it was read. */
interface Stored {
  readonly token: Token | UnkeyedToken;
  /** Of what was stored. */
  readonly mark: number;
  readonly sealed: boolean;
}

/** Undefined where a value cannot be a token that was stored. Releases before checksums stored bare JSON. */
function decoded(key: string, value: Buffer): Stored | undefined {
  const sealed = isChecksummed(value);
  const content = sealed ? checkedContent(key, value) : value;
  if (!content) return undefined;
  try {
    return { token: JSON.parse(content.toString()) as Stored['token'], mark: digestOf(key, content), sealed };
  } catch {
    return undefined;
  }
}

function keyGone(directory: string, count: number): ConfigError {
  return new ConfigError(
    `GSQ_DATA_DIR: ${tokenKeyPath(directory)} is gone, and without it none of the ${count} stored tokens can be recognised; ` +
      'restore it from the backup of this directory. If it is lost for good, make another with ' +
      `${newKeyCommand(directory)} and give each token a new secret: gsq token rotate <id>`,
  );
}

/** What an entry says, and its mark; undefined where it is not what was written, or older than keyed hashes. */
export function storedToken(key: string, value: Buffer): { token: Token; mark: number } | undefined {
  const stored = decoded(key, value);
  return stored && 'secrets' in stored.token ? { token: stored.token, mark: stored.mark } : undefined;
}

/** An entry as it is stored, and its mark. */
export function tokenEntry(token: { id: string }): { key: string; value: Buffer; adds: number } {
  const key = PREFIX + token.id;
  const content = Buffer.from(JSON.stringify(token));
  return { key, value: addChecksum(key, content), adds: digestOf(key, content) };
}

/** All tokens: in memory by the keyed hash of their secrets, durably in the store. */
export class Tokens {
  readonly #level: LevelDbStore;
  readonly #hash: SecretHash;
  readonly #bySecret = new Map<string, Held>();
  /** The same, each at its `slot`. */
  readonly #held: Held[] = [];
  readonly #byId = new Map<string, Token>();
  /** By id: what was last written of a token. */
  readonly #marks = new Map<string, number>();

  private constructor(level: LevelDbStore, hash: SecretHash) {
    this.#level = level;
    this.#hash = hash;
  }

  /**
   * Reads all tokens and the key of the data directory, which it makes where there is none yet. Rejects with ConfigError
   * where that key cannot be used, or is gone though there are tokens, with StoreDamage where they are not what was written.
   */
  static async load(level: LevelDbStore, directory: string): Promise<Tokens> {
    const keyed: Token[] = [];
    const unkeyed: UnkeyedToken[] = [];
    const unsealed: Token[] = [];
    const marks = new Map<string, number>();
    const tally = new SetDigest();
    const faults: string[] = [];
    for await (const [key, value] of level.entries(PREFIX)) {
      const stored = decoded(key, value);
      if (!stored) {
        faults.push(`the stored token "${key.slice(PREFIX.length)}" does not match its checksum`);
        continue;
      }
      const { token, mark, sealed } = stored;
      tally.add(mark);
      marks.set(token.id, mark);
      if (!('secrets' in token)) unkeyed.push(token);
      else {
        keyed.push(token);
        if (!sealed) unsealed.push(token);
      }
    }
    if (faults.length > 0) throw level.damage(named(faults));
    level.expect(PREFIX, tally);
    const key = readTokenKey(directory);
    if (!key && keyed.length > 0) throw keyGone(directory, keyed.length);
    const tokens = new Tokens(level, new SecretHash(key ?? makeTokenKey(directory)));
    for (const [id, mark] of marks) tokens.#marks.set(id, mark);
    for (const token of keyed) tokens.#hold(token);
    await tokens.#write(unsealed);
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
  verify(credentials: Credentials, now: number): Token | undefined {
    const { token: secret, tier, email } = credentials;
    if (credentials.hashed?.secret !== secret) credentials.hashed = { secret, hash: this.#hash.of(secret) };
    const { hash } = credentials.hashed;
    const held = this.#bySecret.get(hash) ?? this.#another(hash);
    const { token } = held;
    const fits =
      same(hash, held.secret) &
      sameEmail(email, held.email) &
      Number((tier === 'PRO') === (token.tier === 'PRO')) &
      Number(token.revokedAt === 0) &
      Number(!hasEnded(token.expiresAt, now)) &
      Number(!hasEnded(held.until, now));
    return fits === 1 ? token : undefined;
  }

  /** Stores a new or changed token; resolves when it is durable, and only then does it count. */
  async put(token: Token): Promise<void> {
    await this.#write([token]);
    this.#hold(token);
  }

  /** Resolves when they are durable. */
  async #write(tokens: readonly Token[]): Promise<void> {
    if (tokens.length === 0) return;
    const operations = tokens.map(token => {
      const takes = this.#marks.get(token.id);
      const entry = tokenEntry(token);
      // Before it is durable: whatever is written next is counted on top of it.
      this.#marks.set(token.id, entry.adds);
      return { type: 'put' as const, ...entry, ...(takes !== undefined && { takes }) };
    });
    await this.#level.commit(operations);
  }

  /**
   * Compares what the engine holds after a write failed with what is in memory, which is what was acknowledged. Returns
   * what to write so that both are the same.
   */
  async compare(): Promise<Operation[]> {
    const operations: Operation[] = [];
    const tally = new SetDigest();
    const there = new Map<string, number | undefined>();
    for await (const [key, value] of this.#level.entries(PREFIX)) {
      const id = key.slice(PREFIX.length);
      if (this.#byId.has(id)) there.set(id, decoded(key, value)?.mark);
      else operations.push({ type: 'del', key });
    }
    this.#marks.clear();
    for (const token of this.#byId.values()) {
      const { key, value, adds: mark } = tokenEntry(token);
      this.#marks.set(token.id, mark);
      tally.add(mark);
      if (there.get(token.id) !== mark) operations.push({ type: 'put', key, value });
    }
    this.#level.recount(PREFIX, tally);
    return operations;
  }

  /** Stores tokens with keyed hashes that were stored without; their secrets stay as they are. */
  async #carryOver(unkeyed: readonly UnkeyedToken[]): Promise<void> {
    if (unkeyed.length === 0) return;
    const tokens = unkeyed.map(({ hash, ...rest }): Token => {
      const keyed = this.#hash.ofDigest(Buffer.from(hash, 'hex').toString('latin1'));
      return { ...rest, secrets: [{ hash: Buffer.from(keyed, 'latin1').toString('hex'), until: 0 }] };
    });
    await this.#write(tokens);
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
    const email = Buffer.alloc(EMAIL_BYTES);
    writeEmail(token.email, email);
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
