import { randomBytes, randomInt } from 'node:crypto';
import { BASE62, RANDOM_LENGTH, secretOf } from '../../proto/token-secret.ts';

/** Tiers of tokens. A caller sends the tier of its token in the header `X-API-Token-Type`. */
export const tiers = ['FREE', 'PRO'] as const;
export type Tier = (typeof tiers)[number];

export function isTier(text: string): text is Tier {
  return text === 'FREE' || text === 'PRO';
}

/** One secret of a token. Only its keyed hash is stored. */
export interface TokenSecret {
  /** Hash of the secret of the token (`SecretHash.of`), in hexadecimal. */
  readonly hash: string;
  /** Expiry time of the secret (Unix ms); 0 if the secret expires together with the token. */
  readonly until: number;
}

/** An API token. */
export interface Token {
  /** Public id of the token. It is not secret, so logs can contain it. */
  readonly id: string;
  /**
   * The secrets of the token, at most three: the newest, the previous and the original one. The previous and the
   * original secret can be expired. The original secret is always kept, because a starting core uses it to recognize
   * the token of GSQ_BOOTSTRAP_TOKEN.
   */
  readonly secrets: readonly TokenSecret[];
  readonly tier: Tier;
  /** E-mail address of the owner of the token, in lower case. */
  readonly email: string;
  /** Times of creation, expiry and revocation, in ms since the Unix epoch. 0 means never. */
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly revokedAt: number;
  /** IP addresses or CIDR ranges that callers must come from. An empty list allows all addresses. */
  readonly allowIps: readonly string[];
  /**
   * Domains whose web pages are allowed to use the token; their subdomains are included. An empty list allows all
   * domains.
   */
  readonly allowDomains: readonly string[];
}

/** Pattern of the public id of a token. */
export const TOKEN_ID = /^tok_[0-9a-f]{12}$/;

/** Creates a secret from random characters and a checksum (proto/token-secret.ts). */
export function newSecret(): string {
  let random = '';
  while (random.length < RANDOM_LENGTH) random += BASE62.charAt(randomInt(BASE62.length));
  return secretOf(random);
}

export function newTokenId(): string {
  return `tok_${randomBytes(6).toString('hex')}`;
}

/** True if an expiry time has passed at `now` (Unix ms). An expiry time of 0 never passes. */
export function hasEnded(until: number, now: number): boolean {
  return until !== 0 && until <= now;
}

/** True if the token is neither revoked nor expired at `now` (Unix ms). */
export function isLive(token: Token, now: number): boolean {
  return token.revokedAt === 0 && !hasEnded(token.expiresAt, now);
}

/**
 * Returns a copy of the token with a new secret. The current secret becomes invalid at `graceEnd` (Unix ms), and all
 * older secrets become invalid immediately.
 */
export function rotated(token: Token, hash: string, now: number, graceEnd: number): Token {
  const [newest, ...older] = token.secrets;
  const secrets: TokenSecret[] = [{ hash, until: 0 }];
  if (newest) secrets.push({ ...newest, until: graceEnd });
  const first = older.at(-1);
  if (first) secrets.push({ ...first, until: Math.min(first.until, now) });
  return { ...token, secrets };
}
