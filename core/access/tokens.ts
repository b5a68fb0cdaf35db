import { compareEntries } from '../store/compare-entries.ts';
import type { Operation, StorageEngine } from '../store/storage-engine.ts';
import { loadTokens } from './load-tokens.ts';
import { SecretHash } from './secret-hash.ts';
import type { Token } from './token.ts';
import { readTokenEntry, TOKENS, tokenEntry, type UnkeyedToken } from './token-entry.ts';
import { type Credentials, TokenIndex } from './token-index.ts';
import { makeTokenKey, tokenKeyCheck } from './token-key.ts';

/** All tokens, in memory and in the storage engine. A token is found by its id or by the keyed hash of a secret. */
export class Tokens {
  readonly #engine: StorageEngine;
  readonly #hash: SecretHash;
  readonly #index: TokenIndex;
  /** Checksum of the store entry of each token as last written, keyed by token id. */
  readonly #checksums: Map<string, number>;
  /** The listeners to call after a change of a token, keyed by token id. */
  readonly #listeners = new Map<string, Set<() => void>>();

  private constructor(engine: StorageEngine, hash: SecretHash, checksums: Map<string, number>) {
    this.#engine = engine;
    this.#hash = hash;
    this.#index = new TokenIndex(hash);
    this.#checksums = checksums;
  }

  /**
   * Loads all tokens and the token key of the data directory. Creates the key if it is missing and no token needs the
   * key. (Only tokens with a keyed hash need the key.) Stores the check value of the key if the store has no check
   * value yet. Rejects with ConfigError if the key is unusable. If a token needs the key, also rejects with ConfigError
   * for a missing key, and for the key of a different store. Rejects with StoreDamage if stored tokens are damaged or
   * missing.
   */
  static async load(engine: StorageEngine, directory: string): Promise<Tokens> {
    const { keyed, unkeyed, unchecked, checksums, isChecked, ...loaded } = await loadTokens(
      engine,
      directory,
    );
    const key = loaded.key ?? makeTokenKey(directory);
    if (!isChecked) await engine.commit([tokenKeyCheck(key)]);
    const tokens = new Tokens(engine, new SecretHash(key), checksums);
    for (const token of keyed) tokens.#index.set(token);
    await tokens.#write(unchecked);
    await tokens.#upgrade(unkeyed);
    return tokens;
  }

  get size(): number {
    return this.#index.size;
  }

  /** Returns all tokens in order of creation. */
  list(): Token[] {
    return [...this.#index.values()].sort((a, b) => a.createdAt - b.createdAt);
  }

  get(id: string): Token | undefined {
    return this.#index.get(id);
  }

  /** Returns the keyed hash of a secret in hexadecimal, as tokens store it. */
  hashOf(secret: string): string {
    return Buffer.from(this.#hash.of(secret), 'latin1').toString('hex');
  }

  /** Returns the token that has this secret, even if the secret or the token is no longer valid. */
  findBySecret(secret: string): Token | undefined {
    return this.#index.findBySecret(secret);
  }

  /** Returns the token that the credentials belong to, if the token and the secret are valid at `now` (Unix ms). */
  verify(credentials: Credentials, now: number): Token | undefined {
    return this.#index.verify(credentials, now);
  }

  /**
   * Stores a new or changed token. Resolves when the token is durable; the token takes effect only after that. Rejects
   * with NoWrites if the storage engine refuses the write.
   */
  async put(token: Token): Promise<void> {
    await this.#write([token]);
    this.#index.set(token);
    for (const listener of [...(this.#listeners.get(token.id) ?? [])]) listener();
  }

  /**
   * Calls `listener` each time a change of the token has taken effect. Returns a function that removes the listener.
   */
  onChange(id: string, listener: () => void): () => void {
    const listeners = this.#listeners.get(id) ?? new Set();
    this.#listeners.set(id, listeners.add(listener));
    return () => {
      if (listeners.delete(listener) && listeners.size === 0) this.#listeners.delete(id);
    };
  }

  /**
   * Compares the stored tokens with the tokens in memory. Call this after a failed write, which was perhaps stored in
   * part. Returns the operations that make the storage engine equal to memory, because memory contains exactly the
   * changes that were confirmed to callers.
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

  /** Writes tokens to the storage engine. Resolves when they are durable. */
  async #write(tokens: readonly Token[]): Promise<void> {
    if (tokens.length === 0) return;
    const operations = tokens.map((token): Operation => {
      const removes = this.#checksums.get(token.id);
      const entry = tokenEntry(token);
      // A write of a token must name the checksum of the store entry that it replaces. The next write of this token can
      // begin before the current write is durable. Therefore the checksum of the new entry is recorded immediately.
      this.#checksums.set(token.id, entry.adds);
      return removes === undefined ? entry : { ...entry, removes };
    });
    await this.#engine.commit(operations);
  }

  /** Converts tokens of releases without keyed hashes: stores them with a keyed hash. Their secrets stay valid. */
  async #upgrade(unkeyed: readonly UnkeyedToken[]): Promise<void> {
    const tokens = unkeyed.map(({ hash, ...rest }): Token => {
      const keyed = this.#hash.ofDigest(Buffer.from(hash, 'hex').toString('latin1'));
      return { ...rest, secrets: [{ hash: Buffer.from(keyed, 'latin1').toString('hex'), until: 0 }] };
    });
    await this.#write(tokens);
    for (const token of tokens) this.#index.set(token);
  }
}
