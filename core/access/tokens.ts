import type { Level } from '../store/level.ts';
import { hashSecret, type Tier, type Token } from './token.ts';

const PREFIX = 't/';

/** All tokens: in memory by the hash of their secret, durably in the store. */
export class Tokens {
  readonly #level: Level;
  readonly #byHash = new Map<string, Token>();
  readonly #byId = new Map<string, Token>();

  private constructor(level: Level) {
    this.#level = level;
  }

  static async load(level: Level): Promise<Tokens> {
    const tokens = new Tokens(level);
    for await (const [, value] of level.entries(PREFIX)) tokens.#hold(JSON.parse(value.toString()) as Token);
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

  /** The token of a secret. Looking up by hash gives timing no hold on the secret. */
  findBySecret(secret: string): Token | undefined {
    return this.#byHash.get(hashSecret(secret));
  }

  /** Stores a new or changed token; resolves when it is durable, and only then does it count. */
  async put(token: Token): Promise<void> {
    await this.#level.commit([
      { type: 'put', key: PREFIX + token.id, value: Buffer.from(JSON.stringify(token)) },
    ]);
    this.#hold(token);
  }

  #hold(token: Token): void {
    this.#byHash.set(token.hash, token);
    this.#byId.set(token.id, token);
  }
}

/** What a caller shows: SPEC, fetch headers. Empty strings where a header was missing. */
export interface Credentials {
  token: string;
  tier: Tier | string;
  email: string;
}
