import { ServiceError } from '../../proto/service-error.ts';
import { DAY_SECONDS, type DayQuota } from './day-quota.ts';
import type { Token } from './token.ts';

/**
 * Maximum number of requests within 24 hours with a token of the tier FREE. Tokens of the tier PRO have no daily limit.
 * Source: the API contract (CONTRACT).
 */
export const FREE_DAY_QUOTA = 1440;

/**
 * A limit on the requests of a token, and the number of requests that the token can still make. `day`: daily quota.
 * `burst`: limit per second.
 */
export interface Allowance {
  policy: 'day' | 'burst';
  limit: number;
  remaining: number;
  windowSeconds: number;
  /** Number of seconds after which `remaining`, the number of available requests, increases. */
  resetSeconds: number;
}

/**
 * Error for a call that is refused although its credentials are right, for example because a quota is used up. Contains
 * the limits of the token, and how many requests remain under each.
 */
export class RefusedError extends ServiceError {
  readonly allowances: Allowance[];
  /** Public id of the token. */
  readonly tokenId: string;

  constructor(cause: ServiceError, allowances: Allowance[], tokenId: string) {
    super(cause.code, cause.message, cause.details);
    this.allowances = allowances;
    this.tokenId = tokenId;
  }
}

/** Returns the daily quota of a token of the tier FREE, and how many requests of this quota remain. */
export function dayAllowance({ id }: Token, quota: DayQuota): Allowance {
  return {
    policy: 'day',
    limit: FREE_DAY_QUOTA,
    remaining: Math.max(0, FREE_DAY_QUOTA - quota.used(id)),
    windowSeconds: DAY_SECONDS,
    resetSeconds: quota.resetSeconds(id),
  };
}

/**
 * Throws RefusedError QUOTA_1 if a token of the tier FREE has used up its daily quota. Tokens of the tier PRO have no
 * daily quota.
 */
export function checkDayQuota(token: Token, quota: DayQuota): void {
  const { id, tier } = token;
  if (tier === 'PRO' || quota.used(id) < FREE_DAY_QUOTA) return;
  const retryAfterSeconds = quota.resetSeconds(id);
  const error = new ServiceError(
    'QUOTA_1',
    `The quota of ${FREE_DAY_QUOTA} requests in 24 hours is used up; try again in ${retryAfterSeconds} s, or use a PRO token.`,
    {
      retryAfterSeconds,
      facts: { quota: String(FREE_DAY_QUOTA), used: String(quota.used(id)) },
      quotaSubject: `token:${id}`,
    },
  );
  throw new RefusedError(error, [dayAllowance(token, quota)], id);
}
