import type { Allowance } from '../../proto/generated/codec/fetch.ts';

/**
 * Adds the rate limit headers to the headers of an answer. Adds nothing if `allowances` is empty. An allowance is one
 * rate limit of the caller, and tells what is left of it (`remaining`). `resetSeconds`: seconds from now until the rate
 * limit is reset.
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
  // These headers contain all rate limits of the caller (draft-ietf-httpapi-ratelimit-headers-10).
  headers['RateLimit-Policy'] = policies;
  headers.RateLimit = left;
  // The older headers X-RateLimit-* contain only the tightest rate limit of the caller, the first in the list.
  headers['X-RateLimit-Limit'] = String(tightest.limit);
  headers['X-RateLimit-Remaining'] = String(tightest.remaining);
  headers['X-RateLimit-Reset'] = String(tightest.resetSeconds);
}
