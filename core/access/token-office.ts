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

/** What a secret that an operator chooses must be. */
export const SECRET_RULE = 'a token has 16 to 512 printable ASCII characters, no space at either end';
const MAX_TOKENS = 1_000_000;
const MAX_LIST = 100;
// Visible ASCII: anything else does not travel in a header as it was written.
const EMAIL = /^[\x21-\x3f\x41-\x7e]{1,64}@[\x21-\x3f\x41-\x7e]{1,253}$/;
const SECRET = /^[\x21-\x7e][\x20-\x7e]{14,510}[\x21-\x7e]$/;
const DOMAIN = /^(?=.{1,253}$)[a-z0-9-]+(?:\.[a-z0-9-]+)*$/;

export function isEmail(text: string): boolean {
  return EMAIL.test(text);
}

/** Whether a text can be a secret: 16 to 512 printable ASCII characters, no space at either end. */
export function isSecret(text: string): boolean {
  return SECRET.test(text);
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
    if (!isSecret(secret)) refuse(SECRET_RULE);
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
