import { longestIntervalMs } from '../servers/probe-interval.ts';
import { HOLD } from './add-sample.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from './units.ts';

/**
 * Returns the longest time for which a sample can count as the status of its server, ms. This is 1.5 times the longest
 * probe interval, at most 36 hours.
 */
export function longestHoldMs(probeIntervalMs: number): number {
  const minutes = Math.ceil(longestIntervalMs(probeIntervalMs) / MINUTE_MS);
  return HOLD * Math.min(minutes * MINUTE_MS, DAY_MS);
}

/**
 * Returns how many earlier hours of samples must be read to know the status of a server at a full hour. A sample is
 * valid for `holdMs`, and is stored under a full hour up to two hours before its own time.
 */
export function hoursBefore(holdMs: number): number {
  return Math.ceil(2 + holdMs / HOUR_MS) - 1;
}
