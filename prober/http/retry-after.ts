import type { IncomingHttpHeaders } from 'node:http';

const LEAST_MS = 1_000;
const MOST_MS = 24 * 3_600_000;

/**
 * Returns the waiting time of the Retry-After header (RFC 9110, 10.2.3), ms, from a second to a day; undefined without
 * a valid header. Compares a date with the Date header, because the local clock can be wrong.
 */
export function retryAfterMs(headers: IncomingHttpHeaders): number | undefined {
  const text = headers['retry-after']?.trim();
  if (text === undefined) return undefined;
  const ms = /^\d{1,10}$/.test(text)
    ? Number(text) * 1000
    : Date.parse(text) - Date.parse(headers.date ?? '');
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, LEAST_MS), MOST_MS);
}
