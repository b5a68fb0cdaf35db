import type { IncomingHttpHeaders } from 'node:http';

const MOST_SECONDS = 24 * 3_600;

/**
 * Returns the time that the header Retry-After (RFC 9110, 10.2.3) asks to wait, in seconds: at most a day, and 0 if the
 * header is absent or not valid. A date in Retry-After is compared with the Date header of the same answer, so a wrong
 * clock on this machine does no harm.
 */
export function retryAfterSeconds(headers: IncomingHttpHeaders): number {
  const text = headers['retry-after']?.trim() ?? '';
  const seconds = /^\d{1,10}(?:\.\d{1,3})?$/.test(text)
    ? Math.ceil(Number(text))
    : Math.ceil((Date.parse(text) - Date.parse(headers.date ?? '')) / 1000);
  return Number.isNaN(seconds) ? 0 : Math.min(Math.max(seconds, 0), MOST_SECONDS);
}
