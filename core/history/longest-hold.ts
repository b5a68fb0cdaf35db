import { longestIntervalMs } from '../servers/probe-interval.ts';
import { HOLD } from './add-sample.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from './units.ts';

/**
 * Returns the longest time for which a sample that says something can hold, ms. With a probe interval of one minute, an
 * offline server is probed at least once an hour, so it is 90 minutes. With five minutes, it is 7.5 hours.
 */
export function longestHoldMs(probeIntervalMs: number): number {
  const minutes = Math.ceil(longestIntervalMs(probeIntervalMs) / MINUTE_MS);
  return HOLD * Math.min(minutes * MINUTE_MS, DAY_MS);
}

/**
 * Returns the number of calendar hours before a full hour whose entries can matter after it. An entry ends up to two hours
 * after the begin of its calendar hour, and its last sample holds for `holdMs` at most.
 */
export function hoursBefore(holdMs: number): number {
  return Math.ceil(2 + holdMs / HOUR_MS) - 1;
}
