import { rollUp, sumFigures } from '../../../../core/history/rollup.ts';
import type { Sample } from '../../../../core/history/sample.ts';
import { DAY, HOUR } from './opened-history.ts';

/** Returns the figures (uptime and players) of the day that begins at `day`, computed from these samples. */
export function dayOf(samples: readonly Sample[], day: number) {
  return sumFigures(rollUp(samples, day, HOUR / 4, 96), day, day + DAY);
}
