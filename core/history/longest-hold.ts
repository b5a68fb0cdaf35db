import { longestIntervalMs } from '../servers/probe-interval.ts';
import { HOLD } from './add-sample.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from './units.ts';

/**
 * Returns the longest time for which one sample can count as the status of its server, ms. With a probe interval of one
 * minute, this time is 90 minutes, because an offline server is then probed at least once an hour. With an interval of
 * five minutes, it is 7.5 hours.
 */
export function longestHoldMs(probeIntervalMs: number): number {
  const minutes = Math.ceil(longestIntervalMs(probeIntervalMs) / MINUTE_MS);
  return HOLD * Math.min(minutes * MINUTE_MS, DAY_MS);
}

/**
 * Returns how many calendar hours before a full hour can have samples that still count after the full hour. The samples
 * of a calendar hour end up to two hours after its begin, and the last one counts for at most `holdMs` more.
 */
export function hoursBefore(holdMs: number): number {
  return Math.ceil(2 + holdMs / HOUR_MS) - 1;
}
