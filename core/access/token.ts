import { randomBytes, randomInt } from 'node:crypto';
import { BASE62, RANDOM_LENGTH, secretOf } from '../../proto/token-secret.ts';

/** Tiers a token can have (SPEC, `X-API-Token-Type`; CONTRACT). */
export const tiers = ['FREE', 'PRO'] as const;
export type Tier = (typeof tiers)[number];

export function isTier(text: string): text is Tier {
  return text === 'FREE' || text === 'PRO';
}

/** A stored secret of a token: only its keyed hash. */
export interface TokenSecret {
  /** `SecretHash.of(secret)`, hexadecimal. */
  readonly hash: string;
  /** Expiry, Unix ms; 0: it expires with the token. */
  readonly until: number;
}

/** An API token. */
export interface Token {
  /** Public name; safe to log. */
  readonly id: string;
  /**
   * The newest secret, then the previous one, whose grace may be over, and last the original one. The original stays known
   * after it has ended, so that a start with GSQ_BOOTSTRAP_TOKEN does not create it again.
   */
  readonly secrets: readonly TokenSecret[];
  readonly tier: Tier;
  /** Lower case. */
  readonly email: string;
  /** Times are milliseconds since the Unix epoch; 0 means never. */
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly revokedAt: number;
  /** IP addresses or CIDR ranges callers must come from; empty allows all. */
  readonly allowIps: readonly string[];
  /** Domains whose pages may use the token, each with its subdomains; empty allows all. */
  readonly allowDomains: readonly string[];
}

/** Makes a secret from random characters and a checksum (proto/token-secret.ts). */
export function newSecret(): string {
  let random = '';
  while (random.length < RANDOM_LENGTH) random += BASE62.charAt(randomInt(BASE62.length));
  return secretOf(random);
}

export function newTokenId(): string {
  return `tok_${randomBytes(6).toString('hex')}`;
}

/** Whether an expiry time has passed; 0 never passes. */
export function hasEnded(until: number, now: number): boolean {
  return until !== 0 && until <= now;
}

/** Whether the token is neither revoked nor expired at `now`. */
export function isLive(token: Token, now: number): boolean {
  return token.revokedAt === 0 && !hasEnded(token.expiresAt, now);
}

/** The token with a new secret. The current secret ends at `graceEnd`, earlier ones at once. */
export function rotated(token: Token, hash: string, now: number, graceEnd: number): Token {
  const [newest, ...older] = token.secrets;
  const secrets: TokenSecret[] = [{ hash, until: 0 }];
  if (newest) secrets.push({ ...newest, until: graceEnd });
  const first = older.at(-1);
  if (first) secrets.push({ ...first, until: Math.min(first.until, now) });
  return { ...token, secrets };
}
