import type { Allowance } from '../../proto/generated/codec/fetch.ts';

/**
 * Sets the rate limit headers of an answer. An allowance describes one rate limit of the caller, and how much of this
 * limit is left. `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers-10) contain all allowances.
 * The older `X-RateLimit-*` headers contain only the first, tightest allowance. Reset times are in seconds from now.
 * Sets no headers if there are no allowances, for example if the caller is not authenticated.
 */
export function addRateHeaders(headers: Record<string, string>, allowances: readonly Allowance[]): void {
  const [tightest] = allowances;
  if (!tightest) return;
  let policies = '';
  let left = '';
  for (const { policy, limit, remaining, windowSeconds, resetSeconds } of allowances) {
    const separator = policies === '' ? '' : ', ';
    policies += `${separator}"${policy}";q=${limit};w=${windowSeconds}`;
    left += `${separator}"${policy}";r=${remaining};t=${resetSeconds}`;
  }
  headers['RateLimit-Policy'] = policies;
  headers.RateLimit = left;
  headers['X-RateLimit-Limit'] = String(tightest.limit);
  headers['X-RateLimit-Remaining'] = String(tightest.remaining);
  headers['X-RateLimit-Reset'] = String(tightest.resetSeconds);
}
