import { ServiceError } from '../../proto/service-error.ts';
import { parseRange } from './allow-list.ts';
import { hashSecret, isTier, newSecret, newTokenId, type Token } from './token.ts';
import type { Tokens } from './tokens.ts';

/** What an operator asks a token to be. */
export interface TokenWish {
  tier: string;
  email: string;
  /** Milliseconds since the Unix epoch; 0 means never. */
  expiresAt: number;
  allowIps: readonly string[];
  allowDomains: readonly string[];
}

/** Shortest secret an operator may choose. */
export const MIN_SECRET = 16;
const MAX_TOKENS = 1_000_000;
const MAX_LIST = 100;
const EMAIL = /^[^\s@]{1,64}@[^\s@]{1,253}$/;
const DOMAIN = /^(?=.{1,253}$)[a-z0-9-]+(?:\.[a-z0-9-]+)*$/;

export function isEmail(text: string): boolean {
  return EMAIL.test(text);
}

export function isLongEnough(secret: string): boolean {
  return secret.length >= MIN_SECRET;
}

function refuse(what: string): never {
  throw new ServiceError('ADMIN_1', what);
}

/** Makes, lists and revokes tokens. */
export class TokenOffice {
  readonly #tokens: Tokens;
  readonly #now: () => number;

  constructor(tokens: Tokens, now: () => number) {
    this.#tokens = tokens;
    this.#now = now;
  }

  /** Rejects with ServiceError ADMIN_1 where the wish cannot be met. The secret is stored nowhere. */
  async create(wish: TokenWish, secret = newSecret()): Promise<{ secret: string; token: Token }> {
    const allowDomains = wish.allowDomains.map(domain => domain.toLowerCase());
    const badIp = wish.allowIps.find(range => !parseRange(range));
    const badDomain = allowDomains.find(domain => !DOMAIN.test(domain));
    if (!isTier(wish.tier)) return refuse(`"${wish.tier}" is no tier; write FREE or PRO`);
    if (!isEmail(wish.email)) refuse(`"${wish.email}" is no e-mail address`);
    if (wish.expiresAt !== 0 && wish.expiresAt <= this.#now()) refuse('the expiry lies in the past');
    if (badIp !== undefined) refuse(`"${badIp}" is no IP address or CIDR range`);
    if (badDomain !== undefined) refuse(`"${badDomain}" is no domain; write one as example.com`);
    if (wish.allowIps.length > MAX_LIST || allowDomains.length > MAX_LIST)
      refuse(`an allow-list holds at most ${MAX_LIST}`);
    if (!isLongEnough(secret)) refuse(`a token needs at least ${MIN_SECRET} characters`);
    if (this.#tokens.size >= MAX_TOKENS) refuse(`there are ${MAX_TOKENS} tokens already`);
    const token: Token = {
      id: newTokenId(),
      hash: hashSecret(secret),
      tier: wish.tier,
      email: wish.email.toLowerCase(),
      createdAt: this.#now(),
      expiresAt: wish.expiresAt,
      revokedAt: 0,
      allowIps: [...wish.allowIps],
      allowDomains,
    };
    await this.#tokens.put(token);
    return { secret, token };
  }

  /** Makes the operator's own token where it does not exist yet; one that was revoked stays so. */
  async bootstrap(secret: string, wish: TokenWish): Promise<void> {
    if (!this.#tokens.findBySecret(secret)) await this.create(wish, secret);
  }

  get size(): number {
    return this.#tokens.size;
  }

  list(): Token[] {
    return this.#tokens.list();
  }

  /** Resolves when the revocation is durable. Rejects with ServiceError ADMIN_2 where there is no such token. */
  async revoke(id: string): Promise<Token> {
    const token = this.#tokens.get(id);
    if (!token)
      throw new ServiceError('ADMIN_2', `there is no token "${id}"; list them with: gsq token list`);
    if (token.revokedAt !== 0) return token;
    const revoked = { ...token, revokedAt: this.#now() };
    await this.#tokens.put(revoked);
    return revoked;
  }
}
