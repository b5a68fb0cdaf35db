import { rollUp, sumFigures } from '../../../../core/history/rollup.ts';
import type { Sample } from '../../../../core/history/sample.ts';
import { DAY, HOUR } from './opened-history.ts';

/** Start of the first day with samples (midnight UTC), Unix ms. */
export const BEGIN = Date.UTC(2026, 10, 20);
/**
 * Key of the test server. The history stores samples in blocks of one hour. For this server, a block begins 52 minutes
 * and 15 seconds after each full hour, for example at 13:52:15.
 */
export const KEY = 'csgo 203.0.113.1:27015';
/** Length of a minute, ms. */
export const MINUTE = 60_000;

/** Returns the figures (uptime and players) of the day that begins at `day`, computed from these samples. */
export function dayOf(samples: readonly Sample[], day: number) {
  return sumFigures(rollUp(samples, day, HOUR / 4, 96), day, day + DAY);
}
