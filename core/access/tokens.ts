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

/** All tokens as loaded from the store. */
interface LoadedTokens {
  keyed: Token[];
  unkeyed: UnkeyedToken[];
  /**
   * Tokens whose entries have a keyed hash but no checksum, because an old release wrote them. They are stored again
   * with a checksum.
   */
  unchecked: Token[];
  /** Checksum of each stored entry, keyed by token id. */
  checksums: Map<string, number>;
}

/** Loads all tokens from the store. Rejects with StoreDamage if a token is damaged or missing. */
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
    digest.addChecksum(checksum);
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
    `GSQ_DATA_DIR: ${tokenKeyPath(directory)} is missing, and without it the core recognises none of the ${count} stored tokens; ` +
      'restore it from the backup of this directory. If it is lost for good, create a new key with ' +
      `${newKeyCommand(directory)} and give each token a new secret: gsq token rotate <id>`,
  );
}

/** All tokens, in memory and in the storage engine. A token is found by its id or by the keyed hash of a secret. */
export class Tokens {
  readonly #engine: StorageEngine;
  readonly #hash: SecretHash;
  readonly #index: TokenIndex;
  /** Checksum of the last written entry of each token, keyed by token id. */
  readonly #checksums: Map<string, number>;

  private constructor(engine: StorageEngine, hash: SecretHash, checksums: Map<string, number>) {
    this.#engine = engine;
    this.#hash = hash;
    this.#index = new TokenIndex(hash);
    this.#checksums = checksums;
  }

  /**
   * Loads all tokens and the token key of the data directory. If the key is missing and no token needs it, creates the
   * key. (Only tokens with a keyed hash need it.) Rejects with ConfigError if the key is unusable, or is missing
   * although a token needs it. Rejects with StoreDamage if stored tokens are damaged or missing.
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
      // Records the checksum before the entry is durable, because the next write of the token can begin before that.
      // The next write must tell the engine in `removes` which checksum it replaces.
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
