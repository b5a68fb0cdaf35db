import { ServiceError } from '../../proto/service-error.ts';
import { parseRange } from './allow-list.ts';
import { isLive, isTier, newSecret, newTokenId, rotated, type Token } from './token.ts';
import type { Tokens } from './tokens.ts';

/** Properties that an operator requests for a new token. */
export interface TokenRequest {
  tier: string;
  email: string;
  /** Expiry time (Unix ms); 0 if the token never expires. */
  expiresAt: number;
  allowIps: readonly string[];
  allowDomains: readonly string[];
}

/**
 * Change of the allow-lists of a token. A list that is absent from the change stays as it is. An empty list allows
 * every source.
 */
export interface AllowLists {
  ips?: readonly string[] | undefined;
  domains?: readonly string[] | undefined;
}

/** Default grace period after a token gets a new secret, ms: the old secret stays valid for this long. */
export const DEFAULT_GRACE_MS = 7 * 86_400_000;
export const MAX_GRACE_MS = 365 * 86_400_000;
/** The rule for secrets that an operator chooses, as text for error messages. */
export const SECRET_RULE = 'a token has 16 to 512 printable ASCII characters, no space at either end';
const MAX_TOKENS = 1_000_000;
const MAX_LIST = 100;
// Patterns of e-mail addresses, secrets and domains. They allow only visible ASCII characters (in secrets also spaces),
// because HTTP headers do not carry other characters unchanged.
const EMAIL = /^[\x21-\x3f\x41-\x7e]{1,64}@[\x21-\x3f\x41-\x7e]{1,253}$/;
const SECRET = /^[\x21-\x7e][\x20-\x7e]{14,510}[\x21-\x7e]$/;
const DOMAIN = /^(?=.{1,253}$)[a-z0-9-]+(?:\.[a-z0-9-]+)*$/;

export function isEmail(text: string): boolean {
  return EMAIL.test(text);
}

/** True if a text can be a secret: 16 to 512 printable ASCII characters, without a space at either end. */
export function isSecret(text: string): boolean {
  return SECRET.test(text);
}

function refuse(what: string): never {
  throw new ServiceError('ADMIN_1', what);
}

/**
 * Checks the IP addresses and CIDR ranges of an allow-list. Throws ServiceError ADMIN_1 if an entry is malformed or the
 * list is too long.
 */
function checkedIps(ranges: readonly string[]): readonly string[] {
  const bad = ranges.find(range => !parseRange(range));
  if (bad !== undefined) refuse(`"${bad}" is not an IP address or CIDR range`);
  if (ranges.length > MAX_LIST) refuse(`an allow-list holds at most ${MAX_LIST}`);
  return [...ranges];
}

/**
 * Checks the domains of an allow-list and converts them to lower case. Throws ServiceError ADMIN_1 if a domain is
 * malformed or the list is too long.
 */
function checkedDomains(names: readonly string[]): readonly string[] {
  const domains = names.map(domain => domain.toLowerCase());
  const bad = domains.find(domain => !DOMAIN.test(domain));
  if (bad !== undefined) refuse(`"${bad}" is not a domain; write it like example.com`);
  if (domains.length > MAX_LIST) refuse(`an allow-list holds at most ${MAX_LIST}`);
  return domains;
}

/**
 * Returns the error for an unknown token id. The message does not repeat a malformed id, because the caller has perhaps
 * sent a secret by mistake.
 */
function noSuchToken(id: string): ServiceError {
  const what = id.startsWith('tok_')
    ? `there is no token "${id}"`
    : 'this is not the id of a token; such an id starts with tok_';
  return new ServiceError('ADMIN_2', `${what}; list them with: gsq token list`);
}

/** Creates, changes, lists and revokes tokens. */
export class TokenService {
  readonly #tokens: Tokens;
  readonly #now: () => number;
  #changes: Promise<unknown> = Promise.resolve();

  constructor(tokens: Tokens, now: () => number) {
    this.#tokens = tokens;
    this.#now = now;
  }

  /**
   * Creates a token. Only a hash of the secret is stored, so the caller must keep the secret. Rejects with ServiceError
   * ADMIN_1 if the request is not valid.
   */
  async create(request: TokenRequest, secret = newSecret()): Promise<{ secret: string; token: Token }> {
    if (!isTier(request.tier)) return refuse(`"${request.tier}" is not a tier; write FREE or PRO`);
    if (!isEmail(request.email)) refuse(`"${request.email}" is not an e-mail address`);
    this.#checkExpiry(request.expiresAt);
    const allowIps = checkedIps(request.allowIps);
    const allowDomains = checkedDomains(request.allowDomains);
    if (!isSecret(secret)) refuse(SECRET_RULE);
    if (this.#tokens.size >= MAX_TOKENS) refuse(`there are ${MAX_TOKENS} tokens already`);
    const token: Token = {
      id: newTokenId(),
      secrets: [{ hash: this.#tokens.hashOf(secret), until: 0 }],
      tier: request.tier,
      email: request.email.toLowerCase(),
      createdAt: this.#now(),
      expiresAt: request.expiresAt,
      revokedAt: 0,
      allowIps,
      allowDomains,
    };
    await this.#tokens.put(token);
    return { secret, token };
  }

  /**
   * Creates a token with the secret of GSQ_BOOTSTRAP_TOKEN. Creates nothing and resolves to undefined if a token with
   * this secret exists already, even if that token is revoked.
   */
  async bootstrap(secret: string, request: TokenRequest): Promise<Token | undefined> {
    if (this.#tokens.findBySecret(secret)) return undefined;
    return (await this.create(request, secret)).token;
  }

  list(): Token[] {
    return this.#tokens.list();
  }

  /** Returns the number of tokens that are neither revoked nor expired. */
  countLive(): number {
    const now = this.#now();
    return this.#tokens.list().filter(token => isLive(token, now)).length;
  }

  /** Returns the token with this id. Throws ServiceError ADMIN_2 if there is no such token. */
  get(id: string): Token {
    const token = this.#tokens.get(id);
    if (!token) throw noSuchToken(id);
    return token;
  }

  /**
   * Revokes a token. Resolves when the revocation is durable. Rejects with ServiceError ADMIN_2 if there is no such
   * token.
   */
  revoke(id: string): Promise<Token> {
    return this.#change(id, token => (token.revokedAt === 0 ? { ...token, revokedAt: this.#now() } : token));
  }

  /**
   * Gives a token a new secret. The current secret stays valid for `graceMs`; older secrets become invalid. Rejects
   * with ServiceError ADMIN_1 for a wrong `graceMs` or a revoked token, and ADMIN_2 if there is no such token.
   */
  async rotate(id: string, graceMs = DEFAULT_GRACE_MS): Promise<{ secret: string; token: Token }> {
    if (!(graceMs >= 0 && graceMs <= MAX_GRACE_MS)) refuse('the grace period must be 0 to 365 days');
    const secret = newSecret();
    const hash = this.#tokens.hashOf(secret);
    const token = await this.#change(id, token => {
      if (token.revokedAt !== 0) refuse(`token "${id}" is revoked for good; make another`);
      return rotated(token, hash, this.#now(), this.#now() + graceMs);
    });
    return { secret, token };
  }

  /**
   * Changes the allow-lists of a token. Rejects with ServiceError ADMIN_1 if a list is not valid, and with ADMIN_2 if
   * there is no such token.
   */
  async allow(id: string, { ips, domains }: AllowLists): Promise<Token> {
    const changed = {
      ...(ips && { allowIps: checkedIps(ips) }),
      ...(domains && { allowDomains: checkedDomains(domains) }),
    };
    return this.#change(id, token => ({ ...token, ...changed }));
  }

  /**
   * Changes the expiry time of a token (Unix ms; 0 for never). An expired token becomes valid again. Rejects with
   * ServiceError ADMIN_1 for a past time or a revoked token, and ADMIN_2 if there is no such token.
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

  /**
   * Changes a token after all earlier changes of tokens have ended, so that each change starts from the result of the
   * previous one.
   */
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
