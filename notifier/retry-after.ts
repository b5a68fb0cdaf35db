import type { IncomingHttpHeaders } from 'node:http';

const MOST_SECONDS = 24 * 3_600;

/**
 * Returns the waiting time of the Retry-After header in seconds, at most a day; 0 without a valid header (RFC 9110,
 * 10.2.3). If Retry-After is a date, subtracts the Date header from it, because the local clock can be wrong.
 */
export function retryAfterSeconds(headers: IncomingHttpHeaders): number {
  const text = headers['retry-after']?.trim() ?? '';
  const seconds = /^\d{1,10}(?:\.\d{1,3})?$/.test(text)
    ? Math.ceil(Number(text))
    : Math.ceil((Date.parse(text) - Date.parse(headers.date ?? '')) / 1000);
  return Number.isNaN(seconds) ? 0 : Math.min(Math.max(seconds, 0), MOST_SECONDS);
}
