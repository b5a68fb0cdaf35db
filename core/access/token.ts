import { randomBytes, randomInt } from 'node:crypto';
import { BASE62, RANDOM_LENGTH, secretOf } from '../../proto/token-secret.ts';

/** Tiers a token can have (SPEC, `X-API-Token-Type`; CONTRACT). */
export const tiers = ['FREE', 'PRO'] as const;
export type Tier = (typeof tiers)[number];

export function isTier(text: string): text is Tier {
  return text === 'FREE' || text === 'PRO';
}

/** A secret of a token as it is stored: only its keyed hash. */
export interface TokenSecret {
  /** `SecretHash.of(secret)`, hexadecimal. */
  readonly hash: string;
  /** When it ends, in milliseconds since the Unix epoch; 0: with the token. */
  readonly until: number;
}

/** A caller's key. */
export interface Token {
  /** Public name; safe to log. */
  readonly id: string;
  /**
   * The newest, then the one before it, whose grace may be over; and, last, the one the token was made with: it stays
   * known when it has ended, lest a start with GSQ_BOOTSTRAP_TOKEN makes it valid again.
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
  /** Domains, each with its subdomains, whose pages may use the token; empty allows all. */
  readonly allowDomains: readonly string[];
}

/** A new secret, of random characters and a checksum (proto/token-secret.ts). */
export function newSecret(): string {
  let random = '';
  while (random.length < RANDOM_LENGTH) random += BASE62.charAt(randomInt(BASE62.length));
  return secretOf(random);
}

export function newTokenId(): string {
  return `tok_${randomBytes(6).toString('hex')}`;
}

/** Whether what ends at `until`, 0 for never, has ended. */
export function hasEnded(until: number, now: number): boolean {
  return until !== 0 && until <= now;
}

/** Whether the token may be used at `now`. */
export function isLive(token: Token, now: number): boolean {
  return token.revokedAt === 0 && !hasEnded(token.expiresAt, now);
}

/** The token with a new secret; the one it had until now ends at `graceEnd`, any before that at once. */
export function rotated(token: Token, hash: string, now: number, graceEnd: number): Token {
  const [newest, ...older] = token.secrets;
  const secrets: TokenSecret[] = [{ hash, until: 0 }];
  if (newest) secrets.push({ ...newest, until: graceEnd });
  const first = older.at(-1);
  if (first) secrets.push({ ...first, until: Math.min(first.until, now) });
  return { ...token, secrets };
}
