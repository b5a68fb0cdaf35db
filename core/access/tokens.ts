import { ConfigError } from '../../runtime/config.ts';
import { compareEntries } from '../store/compare-entries.ts';
import { SetDigest } from '../store/set-digest.ts';
import type { Operation, StorageEngine } from '../store/storage-engine.ts';
import { listDamaged } from '../store/store-damage.ts';
import { SecretHash } from './secret-hash.ts';
import type { Token } from './token.ts';
import { isUnkeyed, readTokenEntry, TOKENS, tokenEntry, type UnkeyedToken } from './token-entry.ts';
import { type Credentials, TokenIndex } from './token-index.ts';
import { makeTokenKey, newKeyCommand, readTokenKey, tokenKeyPath } from './token-key.ts';

/** Everything that was stored of tokens. */
interface LoadedTokens {
  keyed: Token[];
  unkeyed: UnkeyedToken[];
  /** Those of `keyed` that are stored without a checksum. */
  unchecked: Token[];
  /** Checksums of the stored entries, by id. */
  checksums: Map<string, number>;
}

/** Rejects with StoreDamage. */
async function loadTokens(engine: StorageEngine): Promise<LoadedTokens> {
  const loaded: LoadedTokens = { keyed: [], unkeyed: [], unchecked: [], checksums: new Map() };
  const digest = new SetDigest();
  const faults: string[] = [];
  await engine.readAll(TOKENS, (key, value) => {
    const stored = readTokenEntry(key, value);
    if (!stored) {
      faults.push(`the stored token "${key.slice(TOKENS.length)}" does not match its checksum`);
      return;
    }
    const { token, checksum } = stored;
    digest.add(checksum);
    loaded.checksums.set(token.id, checksum);
    if (isUnkeyed(token)) loaded.unkeyed.push(token);
    else {
      loaded.keyed.push(token);
      if (!stored.isChecksummed) loaded.unchecked.push(token);
    }
  });
  if (faults.length > 0) throw engine.damage(listDamaged(faults));
  engine.verify(TOKENS, digest);
  return loaded;
}

function keyGone(directory: string, count: number): ConfigError {
  return new ConfigError(
    `GSQ_DATA_DIR: ${tokenKeyPath(directory)} is gone, and without it none of the ${count} stored tokens can be recognised; ` +
      'restore it from the backup of this directory. If it is lost for good, make another with ' +
      `${newKeyCommand(directory)} and give each token a new secret: gsq token rotate <id>`,
  );
}

/** All tokens: in memory by the keyed hashes of their secrets, durably in the storage engine. */
export class Tokens {
  readonly #engine: StorageEngine;
  readonly #hash: SecretHash;
  readonly #index: TokenIndex;
  /** By id: checksum of the entry that was written last. */
  readonly #checksums: Map<string, number>;

  private constructor(engine: StorageEngine, hash: SecretHash, checksums: Map<string, number>) {
    this.#engine = engine;
    this.#hash = hash;
    this.#index = new TokenIndex(hash);
    this.#checksums = checksums;
  }

  /**
   * Reads all tokens and the key of the data directory, which it makes if there is none yet. Rejects with ConfigError if
   * the key cannot be used, or is gone though there are tokens; with StoreDamage if the tokens are not what was written.
   */
  static async load(engine: StorageEngine, directory: string): Promise<Tokens> {
    const { keyed, unkeyed, unchecked, checksums } = await loadTokens(engine);
    const key = readTokenKey(directory);
    if (!key && keyed.length > 0) throw keyGone(directory, keyed.length);
    const tokens = new Tokens(engine, new SecretHash(key ?? makeTokenKey(directory)), checksums);
    for (const token of keyed) tokens.#index.set(token);
    await tokens.#write(unchecked);
    await tokens.#upgrade(unkeyed);
    return tokens;
  }

  get size(): number {
    return this.#index.size;
  }

  /** In order of creation. */
  list(): Token[] {
    return [...this.#index.values()].sort((a, b) => a.createdAt - b.createdAt);
  }

  get(id: string): Token | undefined {
    return this.#index.get(id);
  }

  /** What a token stores of a secret, hexadecimal. */
  hashOf(secret: string): string {
    return Buffer.from(this.#hash.of(secret), 'latin1').toString('hex');
  }

  /** The token that has a secret, whether or not they are valid. */
  findBySecret(secret: string): Token | undefined {
    return this.#index.findBySecret(secret);
  }

  /** The token that credentials belong to, if it may be used at `now`, ms since the Unix epoch. */
  verify(credentials: Credentials, now: number): Token | undefined {
    return this.#index.verify(credentials, now);
  }

  /** Stores a new or changed token, which is valid once it is durable; resolves then. Rejects with NoWrites. */
  async put(token: Token): Promise<void> {
    await this.#write([token]);
    this.#index.set(token);
  }

  /**
   * Compares what the engine holds after a failed write with what is in memory, which is what was acknowledged. Returns
   * what to write so that both are the same.
   */
  compare(): Promise<Operation[]> {
    const entries = [...this.#index.values()].map(tokenEntry);
    this.#checksums.clear();
    for (const { key, adds } of entries) this.#checksums.set(key.slice(TOKENS.length), adds);
    return compareEntries(
      this.#engine,
      TOKENS,
      entries,
      (key, value) => readTokenEntry(key, value)?.checksum,
    );
  }

  /** Resolves when the tokens are durable. */
  async #write(tokens: readonly Token[]): Promise<void> {
    if (tokens.length === 0) return;
    const operations = tokens.map((token): Operation => {
      const removes = this.#checksums.get(token.id);
      const entry = tokenEntry(token);
      // Before the entry is durable: the next write of the token replaces this one.
      this.#checksums.set(token.id, entry.adds);
      return removes === undefined ? entry : { ...entry, removes };
    });
    await this.#engine.commit(operations);
  }

  /** Stores tokens of releases before keyed hashes with a keyed hash; their secrets stay valid. */
  async #upgrade(unkeyed: readonly UnkeyedToken[]): Promise<void> {
    const tokens = unkeyed.map(({ hash, ...rest }): Token => {
      const keyed = this.#hash.ofDigest(Buffer.from(hash, 'hex').toString('latin1'));
      return { ...rest, secrets: [{ hash: Buffer.from(keyed, 'latin1').toString('hex'), until: 0 }] };
    });
    await this.#write(tokens);
    for (const token of tokens) this.#index.set(token);
  }
}
