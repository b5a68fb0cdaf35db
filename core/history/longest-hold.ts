import { longestIntervalMs } from '../servers/probe-interval.ts';
import { HOLD } from './add-sample.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from './units.ts';

/**
 * Returns the longest time for which a sample can count as the status of its server, ms. This is 1.5 times the longest
 * probe interval, at most 36 hours. The longest interval, for offline servers, is 60 normal intervals
 * (`probeIntervalMs`). For a normal interval of one minute, the result is 1.5 * 60 = 90 minutes.
 */
export function longestHoldMs(probeIntervalMs: number): number {
  const minutes = Math.ceil(longestIntervalMs(probeIntervalMs) / MINUTE_MS);
  return HOLD * Math.min(minutes * MINUTE_MS, DAY_MS);
}

/**
 * Returns how many earlier hours of the history must be read to find the status of a server at a full hour. A sample
 * counts as the status for up to `holdMs` after its time. In addition, the history can store a sample under a full hour
 * that is up to two hours earlier. For example, a server's hour from 12:40 to 13:40 is stored under 12:00.
 */
export function hoursBefore(holdMs: number): number {
  return Math.ceil(2 + holdMs / HOUR_MS) - 1;
}
