import type { Allowance__Output } from '../../proto/generated/gsq/v1/Allowance.ts';

/**
 * What a token may still do, as headers: `RateLimit-Policy` and `RateLimit` as in
 * draft-ietf-httpapi-ratelimit-headers-10, and the older X-RateLimit-* of the tightest policy, its reset in seconds
 * from now. Empty where the caller was not authenticated.
 */
export function rateHeaders(allowances: readonly Allowance__Output[]): Record<string, string> {
  const [tightest] = allowances;
  if (!tightest) return {};
  return {
    'RateLimit-Policy': allowances.map(a => `"${a.policy}";q=${a.limit};w=${a.windowSeconds}`).join(', '),
    RateLimit: allowances.map(a => `"${a.policy}";r=${a.remaining};t=${a.resetSeconds}`).join(', '),
    'X-RateLimit-Limit': String(tightest.limit),
    'X-RateLimit-Remaining': String(tightest.remaining),
    'X-RateLimit-Reset': String(tightest.resetSeconds),
  };
}
