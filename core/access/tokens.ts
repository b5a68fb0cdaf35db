import { compareEntries } from '../store/compare-entries.ts';
import { NoWrites } from '../store/no-writes.ts';
import type { Operation, Put, StorageEngine } from '../store/storage-engine.ts';
import { type LoadedTokens, loadTokens } from './load-tokens.ts';
import { SecretHash } from './secret-hash.ts';
import type { Token } from './token.ts';
import { readTokenEntry, storedToken, TOKENS, tokenEntry, type UnkeyedToken } from './token-entry.ts';
import { type Credentials, TokenIndex } from './token-index.ts';
import { makeTokenKey, tokenKeyCheck } from './token-key.ts';

/**
 * All tokens, in memory and in the storage engine. Only one core of a cluster, the lead, writes tokens to the engine.
 * The lead sends them to the other cores, which keep them in memory (`apply`, `retain`).
 */
export class Tokens {
  readonly #engine: StorageEngine;
  readonly #directory: string;
  readonly #key: Buffer;
  readonly #hash: SecretHash;
  readonly #index: TokenIndex;
  /** True if this core writes the tokens. In a cluster, only one core writes them. */
  #isWriter: boolean;
  /** Checksums of the durable store entries of all tokens, keyed by token id. */
  #checksums = new Map<string, number>();
  /** The listeners to call after a change of a token, keyed by token id. */
  readonly #listeners = new Map<string, Set<() => void>>();
  /** The listeners to call with the id of each changed token. */
  readonly #watchers = new Set<(id: string) => void>();

  private constructor(engine: StorageEngine, directory: string, key: Buffer, isWriter: boolean) {
    this.#engine = engine;
    this.#directory = directory;
    this.#key = key;
    this.#hash = new SecretHash(key);
    this.#index = new TokenIndex(this.#hash);
    this.#isWriter = isWriter;
  }

  /**
   * Loads all tokens from the store, and their key from the data directory. Rejects with ConfigError if the key is
   * unusable, wrong, or needed but missing. Rejects with StoreDamage if tokens are damaged or missing.
   */
  static async load(engine: StorageEngine, directory: string, isWriter = true): Promise<Tokens> {
    const loaded = await loadTokens(engine, directory);
    // Creates a token key if the data directory has none. No stored token needs the missing key: if one did,
    // `loadTokens` would have rejected.
    const tokens = new Tokens(engine, directory, loaded.key ?? makeTokenKey(directory), isWriter);
    tokens.#checksums = loaded.checksums;
    for (const token of [...loaded.keyed, ...tokens.#keyed(loaded.unkeyed)]) tokens.#index.set(token);
    // If another core of the cluster writes the tokens, this core writes nothing to the store.
    if (isWriter) await tokens.#upgrade(loaded);
    return tokens;
  }

  /**
   * Makes this core the lead of a cluster, the core that writes tokens. Loads the newest tokens from the engine.
   * Rejects with the same errors as `load`.
   */
  async lead(): Promise<void> {
    const loaded = await loadTokens(this.#engine, this.#directory);
    const tokens = [...loaded.keyed, ...this.#keyed(loaded.unkeyed)];
    this.retain(new Set(tokens.map(({ id }) => id)));
    for (const token of tokens) this.#setIfChanged(token);
    this.#checksums = loaded.checksums;
    this.#isWriter = true;
    await this.#upgrade(loaded);
  }

  /**
   * Makes this core refuse all writes of tokens from now on, because another core of the cluster begins to write them.
   */
  unlead(): void {
    this.#isWriter = false;
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

  /**
   * Returns the keyed hash of a secret as hexadecimal text. A stored token contains this hash instead of the secret.
   */
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
   * with NoWrites if the storage engine refuses the write, or if another core writes the tokens. The caller must wait
   * for the end of an earlier `put` of the same token.
   */
  async put(token: Token): Promise<void> {
    if (!this.#isWriter) throw new NoWrites('the tokens belong to another core of the cluster');
    await this.#write([token]);
    this.#set(token);
  }

  /**
   * Applies a store entry that the lead (the core that writes tokens) has sent, but only in memory. Returns the id of
   * the token, or undefined for a damaged entry, which is ignored.
   */
  apply(key: string, value: Buffer): string | undefined {
    const stored = storedToken(key, value);
    if (stored) this.#setIfChanged(stored.token);
    return stored?.token.id;
  }

  /**
   * Removes from memory all tokens whose ids are not in `ids`. The core that writes the tokens does not have these
   * tokens.
   */
  retain(ids: ReadonlySet<string>): void {
    for (const { id } of this.list()) {
      if (ids.has(id)) continue;
      this.#index.remove(id);
      this.#tellChange(id);
    }
  }

  /** Store entry with the check value of the token key. The next start uses it to detect a wrong key file. */
  get keyCheck(): Put {
    return tokenKeyCheck(this.#key);
  }

  /**
   * Calls `listener` with the id of a token after each change of the token. Returns a function that removes the
   * listener.
   */
  watch(listener: (id: string) => void): () => void {
    this.#watchers.add(listener);
    return () => void this.#watchers.delete(listener);
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
   * Call this method after a failed write, because the store can contain a part of this write. Compares the stored
   * tokens with those in memory. Returns the operations that make the store equal to the memory. Returns no operations
   * if another core writes the tokens.
   */
  async compare(): Promise<Operation[]> {
    if (!this.#isWriter) return [];
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
    const entries = new Map(tokens.map(token => [token.id, tokenEntry(token)]));
    const operations = [...entries].map(([id, entry]): Operation => {
      const removes = this.#checksums.get(id);
      return removes === undefined ? entry : { ...entry, removes };
    });
    await this.#engine.commit(operations);
    // Updates the checksums in memory only after the commit, because a refused or failed write replaces no entry.
    for (const [id, { adds }] of entries) this.#checksums.set(id, adds);
  }

  #set(token: Token): void {
    this.#index.set(token);
    this.#tellChange(token.id);
  }

  #setIfChanged(token: Token): void {
    const known = this.#index.get(token.id);
    if (!known || tokenEntry(known).adds !== tokenEntry(token).adds) this.#set(token);
  }

  #tellChange(id: string): void {
    for (const listener of [...(this.#listeners.get(id) ?? [])]) listener();
    for (const watcher of this.#watchers) watcher(id);
  }

  /**
   * Converts, in memory, the tokens that old releases stored without keyed hashes. The secrets of the tokens stay
   * valid.
   */
  #keyed(unkeyed: readonly UnkeyedToken[]): Token[] {
    return unkeyed.map(({ hash, ...rest }): Token => {
      const keyed = this.#hash.ofDigest(Buffer.from(hash, 'hex').toString('latin1'));
      return { ...rest, secrets: [{ hash: Buffer.from(keyed, 'latin1').toString('hex'), until: 0 }] };
    });
  }

  /**
   * Stores what old releases did not store: the check value of the token key, and the checksums and keyed hashes of
   * tokens.
   */
  async #upgrade({ isChecked, unchecked, unkeyed }: LoadedTokens): Promise<void> {
    if (!isChecked) await this.#engine.commit([this.keyCheck]);
    await this.#write(unchecked);
    await this.#write(this.#keyed(unkeyed));
  }
}
