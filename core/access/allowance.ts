import { ServiceError } from '../../proto/service-error.ts';
import { DAY_SECONDS, type DayQuota } from './day-quota.ts';
import type { Token } from './token.ts';

/** Requests a FREE token may make in any 24 hours; PRO has no such limit (CONTRACT). */
export const FREE_DAY_QUOTA = 1440;

/** One rate limit of a token and how much of it is left. */
export interface Allowance {
  policy: 'day' | 'burst';
  limit: number;
  remaining: number;
  windowSeconds: number;
  /** Seconds until more is allowed again. */
  resetSeconds: number;
}

/** Refusal of a call whose token is valid; carries the token's remaining allowances. */
export class RefusedError extends ServiceError {
  readonly allowances: Allowance[];

  constructor(cause: ServiceError, allowances: Allowance[]) {
    super(cause.code, cause.message, cause.details);
    this.allowances = allowances;
  }
}

/** The daily allowance of a FREE token. */
export function dayAllowance({ id }: Token, quota: DayQuota): Allowance {
  return {
    policy: 'day',
    limit: FREE_DAY_QUOTA,
    remaining: Math.max(0, FREE_DAY_QUOTA - quota.used(id)),
    windowSeconds: DAY_SECONDS,
    resetSeconds: quota.resetSeconds(id),
  };
}

/** Throws RefusedError QUOTA_1 if the token has used up its requests of the last 24 hours. */
export function checkDayQuota(token: Token, quota: DayQuota): void {
  const { id, tier } = token;
  if (tier === 'PRO' || quota.used(id) < FREE_DAY_QUOTA) return;
  const error = new ServiceError(
    'QUOTA_1',
    `The quota of ${FREE_DAY_QUOTA} requests in 24 hours is used up; wait for Retry-After, or use a PRO token.`,
    {
      retryAfterSeconds: quota.resetSeconds(id),
      facts: { quota: String(FREE_DAY_QUOTA), used: String(quota.used(id)) },
    },
  );
  throw new RefusedError(error, [dayAllowance(token, quota)]);
}
