import { hash, randomBytes } from 'node:crypto';

/** Tiers a token can have (SPEC, `X-API-Token-Type`; CONTRACT). */
export const tiers = ['FREE', 'PRO'] as const;
export type Tier = (typeof tiers)[number];

export function isTier(text: string): text is Tier {
  return text === 'FREE' || text === 'PRO';
}

/** A caller's key as it is stored: never the secret, only its hash. */
export interface Token {
  /** Public name; safe to log. */
  readonly id: string;
  /** `hashSecret(secret)`. */
  readonly hash: string;
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

export function hashSecret(secret: string): string {
  return hash('sha256', secret);
}

/** A new secret: 192 random bits behind a prefix that secret scanners can know. */
export function newSecret(): string {
  return `gsq_${randomBytes(24).toString('base64url')}`;
}

export function newTokenId(): string {
  return `tok_${randomBytes(6).toString('hex')}`;
}

/** Whether the token may be used at `now`. */
export function isLive(token: Token, now: number): boolean {
  return token.revokedAt === 0 && (token.expiresAt === 0 || token.expiresAt > now);
}
