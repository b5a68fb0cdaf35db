import type { Allowance } from '../../proto/generated/codec/fetch.ts';

/**
 * Adds the rate limit headers to the headers of an answer. `allowances`: the rate limits of the caller, each with the
 * number of requests that are left (`remaining`); can be empty. `resetSeconds`: seconds until the limit allows more
 * requests.
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
  // The headers RateLimit* contain all rate limits of the caller (draft-ietf-httpapi-ratelimit-headers-10).
  headers['RateLimit-Policy'] = policies;
  headers.RateLimit = left;
  // The older headers X-RateLimit-* contain only the first rate limit in the list. It is the limit that caused the
  // refusal of the request, or the daily limit if the request was not refused.
  headers['X-RateLimit-Limit'] = String(tightest.limit);
  headers['X-RateLimit-Remaining'] = String(tightest.remaining);
  headers['X-RateLimit-Reset'] = String(tightest.resetSeconds);
}
