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
 * Returns how many hours of history must be read before a full hour, such as 13:00, to find the status of a server at
 * this hour. The last sample before this hour can be up to `holdMs` old. In addition, it can be stored under a calendar
 * hour that began up to two hours before the sample.
 */
export function hoursBefore(holdMs: number): number {
  return Math.ceil(2 + holdMs / HOUR_MS) - 1;
}
