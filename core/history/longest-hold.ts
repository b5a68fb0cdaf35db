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
 * A sample from before a full hour, such as 13:00, can still be the known status of its server after 13:00. Returns the
 * number of calendar hours before the full hour that can contain such samples. The last sample of a calendar hour is at
 * most two hours newer than the start of the calendar hour. It counts as the status for at most `holdMs`.
 */
export function hoursBefore(holdMs: number): number {
  return Math.ceil(2 + holdMs / HOUR_MS) - 1;
}
