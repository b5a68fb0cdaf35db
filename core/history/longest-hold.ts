import { longestIntervalMs } from '../servers/probe-interval.ts';
import { HOLD } from './add-sample.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from './units.ts';

/**
 * Returns the maximum time for which a sample counts as the status of its server, in ms. This is 1.5 times the longest
 * probe interval, but at most 36 hours.
 */
export function longestHoldMs(probeIntervalMs: number): number {
  const minutes = Math.ceil(longestIntervalMs(probeIntervalMs) / MINUTE_MS);
  return HOLD * Math.min(minutes * MINUTE_MS, DAY_MS);
}

/**
 * Returns how many earlier hours of stored samples must be read to know the status of a server at a full hour.
 * `holdMs`: longest time for which a sample counts as the status. Two hours are added to it, because a sample is stored
 * under an hour that begins up to two hours before the sample.
 */
export function hoursBefore(holdMs: number): number {
  return Math.ceil(2 + holdMs / HOUR_MS) - 1;
}
