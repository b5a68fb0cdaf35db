import { longestIntervalMs } from '../servers/probe-interval.ts';
import { HOLD } from './add-sample.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from './units.ts';

/**
 * Returns the longest time for which one sample of a server determines its status in the history, ms. With a probe
 * interval of one minute, this time is 90 minutes, because an offline server is then probed at least once an hour. With
 * an interval of five minutes, it is 7.5 hours.
 */
export function longestHoldMs(probeIntervalMs: number): number {
  const minutes = Math.ceil(longestIntervalMs(probeIntervalMs) / MINUTE_MS);
  return HOLD * Math.min(minutes * MINUTE_MS, DAY_MS);
}

/**
 * Returns how many hours before a full hour, such as 13:00, must be read to find the status of a server at this full
 * hour. A sample counts as the status for at most `holdMs`. In addition, a sample is stored under a full hour that can
 * be up to two hours earlier than the sample.
 */
export function hoursBefore(holdMs: number): number {
  return Math.ceil(2 + holdMs / HOUR_MS) - 1;
}
