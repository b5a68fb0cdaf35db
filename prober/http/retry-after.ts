import type { IncomingHttpHeaders } from 'node:http';

const LEAST_MS = 1_000;
const MOST_MS = 24 * 3_600_000;

/**
 * Returns how long the Retry-After header (RFC 9110, 10.2.3) says to wait, ms. Limits the result to the range from one
 * second to one day. Returns undefined if the header is missing or invalid. If the header contains a date, compares it
 * with the Date header, because the local clock can be wrong.
 */
export function retryAfterMs(headers: IncomingHttpHeaders): number | undefined {
  const text = headers['retry-after']?.trim();
  if (text === undefined) return undefined;
  const ms = /^\d{1,10}$/.test(text)
    ? Number(text) * 1000
    : Date.parse(text) - Date.parse(headers.date ?? '');
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, LEAST_MS), MOST_MS);
}
