import { longestIntervalMs } from '../servers/probe-interval.ts';
import { HOLD } from './add-sample.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from './units.ts';

/**
 * Returns the longest time for which a sample can count as the status of its server, ms: one and a half of the longest
 * probe interval, at most 36 hours. If servers are normally probed once a minute, the longest interval is one hour (for
 * offline servers), and the result is 90 minutes. If they are probed every five minutes, it is 7.5 hours.
 */
export function longestHoldMs(probeIntervalMs: number): number {
  const minutes = Math.ceil(longestIntervalMs(probeIntervalMs) / MINUTE_MS);
  return HOLD * Math.min(minutes * MINUTE_MS, DAY_MS);
}

/**
 * Returns how many earlier hours of the history must be read to find the status of a server at a full hour. A sample
 * counts as the status for up to `holdMs`. A sample is also stored under a full hour that can be up to two hours
 * earlier. For example, a sample from 13:30 is stored under 12:00 if it belongs to the hour from 12:40 to 13:40.
 */
export function hoursBefore(holdMs: number): number {
  return Math.ceil(2 + holdMs / HOUR_MS) - 1;
}
