import { ServiceError } from '../../proto/service-error.ts';
import { parseRange } from './allow-list.ts';
import { isLive, isTier, newSecret, newTokenId, rotated, type Token } from './token.ts';
import type { Tokens } from './tokens.ts';

/** What an operator asks a token to be. */
export interface TokenRequest {
  tier: string;
  email: string;
  /** Milliseconds since the Unix epoch; 0 means never. */
  expiresAt: number;
  allowIps: readonly string[];
  allowDomains: readonly string[];
}

/** Where a token may be used from; a list left out stays as it is, an empty one allows all. */
export interface AllowLists {
  ips?: readonly string[] | undefined;
  domains?: readonly string[] | undefined;
}

/** How long a secret stays valid beside the one that replaces it, unless told otherwise. */
export const DEFAULT_GRACE_MS = 7 * 86_400_000;
export const MAX_GRACE_MS = 365 * 86_400_000;
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

/** The ranges, all of them readable. Throws ServiceError ADMIN_1. */
function checkedIps(ranges: readonly string[]): readonly string[] {
  const bad = ranges.find(range => !parseRange(range));
  if (bad !== undefined) refuse(`"${bad}" is no IP address or CIDR range`);
  if (ranges.length > MAX_LIST) refuse(`an allow-list holds at most ${MAX_LIST}`);
  return [...ranges];
}

/** The domains in lower case, all of them well-formed. Throws ServiceError ADMIN_1. */
function checkedDomains(names: readonly string[]): readonly string[] {
  const domains = names.map(domain => domain.toLowerCase());
  const bad = domains.find(domain => !DOMAIN.test(domain));
  if (bad !== undefined) refuse(`"${bad}" is no domain; write one as example.com`);
  if (domains.length > MAX_LIST) refuse(`an allow-list holds at most ${MAX_LIST}`);
  return domains;
}

/** An id that is none may be a secret in the wrong place, and is not repeated. */
function noSuchToken(id: string): ServiceError {
  const what = id.startsWith('tok_')
    ? `there is no token "${id}"`
    : 'this is no id of a token, which starts with tok_';
  return new ServiceError('ADMIN_2', `${what}; list them with: gsq token list`);
}

/** Makes, changes, lists and revokes tokens. */
export class TokenService {
  readonly #tokens: Tokens;
  readonly #now: () => number;
  #changes: Promise<unknown> = Promise.resolve();

  constructor(tokens: Tokens, now: () => number) {
    this.#tokens = tokens;
    this.#now = now;
  }

  /** Rejects with ServiceError ADMIN_1 where the wish cannot be met. The secret is stored nowhere. */
  async create(wish: TokenRequest, secret = newSecret()): Promise<{ secret: string; token: Token }> {
    if (!isTier(wish.tier)) return refuse(`"${wish.tier}" is no tier; write FREE or PRO`);
    if (!isEmail(wish.email)) refuse(`"${wish.email}" is no e-mail address`);
    this.#checkExpiry(wish.expiresAt);
    const allowIps = checkedIps(wish.allowIps);
    const allowDomains = checkedDomains(wish.allowDomains);
    if (!isSecret(secret)) refuse(SECRET_RULE);
    if (this.#tokens.size >= MAX_TOKENS) refuse(`there are ${MAX_TOKENS} tokens already`);
    const token: Token = {
      id: newTokenId(),
      secrets: [{ hash: this.#tokens.hashOf(secret), until: 0 }],
      tier: wish.tier,
      email: wish.email.toLowerCase(),
      createdAt: this.#now(),
      expiresAt: wish.expiresAt,
      revokedAt: 0,
      allowIps,
      allowDomains,
    };
    await this.#tokens.put(token);
    return { secret, token };
  }

  /** Makes the operator's own token where it does not exist yet; one that was revoked stays so. */
  async bootstrap(secret: string, wish: TokenRequest): Promise<void> {
    if (!this.#tokens.findBySecret(secret)) await this.create(wish, secret);
  }

  list(): Token[] {
    return this.#tokens.list();
  }

  /** Number of tokens that are neither revoked nor expired. */
  countLive(): number {
    const now = this.#now();
    return this.#tokens.list().filter(token => isLive(token, now)).length;
  }

  /** Throws ServiceError ADMIN_2 where there is no such token. */
  get(id: string): Token {
    const token = this.#tokens.get(id);
    if (!token) throw noSuchToken(id);
    return token;
  }

  /** Resolves when the revocation is durable. Rejects with ServiceError ADMIN_2 where there is no such token. */
  revoke(id: string): Promise<Token> {
    return this.#change(id, token => (token.revokedAt === 0 ? { ...token, revokedAt: this.#now() } : token));
  }

  /**
   * Gives a token a new secret. The one it had stays valid for `graceMs`, one that was in its grace already ends.
   * Rejects with ServiceError ADMIN_1 or ADMIN_2.
   */
  async rotate(id: string, graceMs = DEFAULT_GRACE_MS): Promise<{ secret: string; token: Token }> {
    if (!(graceMs >= 0 && graceMs <= MAX_GRACE_MS)) refuse('the grace is 0 to 365 days');
    const secret = newSecret();
    const hash = this.#tokens.hashOf(secret);
    const token = await this.#change(id, token => {
      if (token.revokedAt !== 0) refuse(`token "${id}" is revoked for good; make another`);
      return rotated(token, hash, this.#now(), this.#now() + graceMs);
    });
    return { secret, token };
  }

  /** Changes where a token may be used from. Rejects with ServiceError ADMIN_1 or ADMIN_2. */
  async allow(id: string, { ips, domains }: AllowLists): Promise<Token> {
    const changed = {
      ...(ips && { allowIps: checkedIps(ips) }),
      ...(domains && { allowDomains: checkedDomains(domains) }),
    };
    return this.#change(id, token => ({ ...token, ...changed }));
  }

  /**
   * Changes when a token ends, in milliseconds since the Unix epoch, 0 for never; one that has ended is valid again. Rejects
   * with ServiceError ADMIN_1 or ADMIN_2.
   */
  async expire(id: string, expiresAt: number): Promise<Token> {
    this.#checkExpiry(expiresAt);
    return this.#change(id, token => {
      if (token.revokedAt !== 0) refuse(`token "${id}" is revoked for good; make another`);
      return { ...token, expiresAt };
    });
  }

  #checkExpiry(expiresAt: number): void {
    if (expiresAt !== 0 && expiresAt <= this.#now()) refuse('the expiry lies in the past');
  }

  /** One change after the other: each sees what the one before it made, and none undoes another. */
  #change(id: string, change: (token: Token) => Token): Promise<Token> {
    const changed = this.#changes.then(async () => {
      const token = this.get(id);
      const next = change(token);
      if (next !== token) await this.#tokens.put(next);
      return next;
    });
    this.#changes = changed.catch(() => {});
    return changed;
  }
}
