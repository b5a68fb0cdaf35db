import type { Allowance } from '../../proto/generated/codec/fetch.ts';

/**
 * Tells in headers what a token may still do: `RateLimit-Policy` and `RateLimit` as in
 * draft-ietf-httpapi-ratelimit-headers-10, and the older X-RateLimit-* of the tightest policy, its reset in seconds
 * from now. Nothing where the caller was not authenticated.
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
