import { appendSample, beginHour, NO_HOUR } from '../../core/history/hour-coding.ts';
import type { Sample } from '../../core/history/sample.ts';
import { PATTERNS, type Pattern, simulatedServer } from '../core/history/simulated-fleet.ts';
import { randomNumbers } from '../system/random-numbers.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/**
 * `PATTERNS` contains the share of each player pattern in percent. For each percent, this number of servers is
 * simulated. For example, a pattern with a share of 20 % gets 100 servers.
 */
const EACH = 5;

function openHour(samples: Iterable<Sample>, from: number, minutes: number): Uint8Array {
  let open: Uint8Array = NO_HOUR;
  let first = 0;
  for (const sample of samples) {
    first ||= sample.at;
    const at = from + sample.at - first;
    if (at >= from + minutes * MINUTE_MS) break;
    open = open.length === 0 ? beginHour({ ...sample, at }, 0) : appendSample(open, { ...sample, at }, 0);
  }
  return open;
}

/** Returns the encoded history samples of one incomplete hour for each simulated server. `now`: Unix ms. */
export function simulatedOpenHours(now: number): Uint8Array[] {
  const below = randomNumbers(1);
  const from = Math.floor(now / HOUR_MS) * HOUR_MS - HOUR_MS;
  return Object.entries(PATTERNS).flatMap(([pattern, servers]) =>
    Array.from({ length: EACH * servers }, (_, i) =>
      openHour(simulatedServer(pattern as Pattern, i, 2, 5), from, below(60)),
    ),
  );
}
