import type { Sample } from '../../../core/history/sample.ts';
import { randomNumbers } from '../../system/random-numbers.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Kinds of behaviour of simulated servers, with the percentage of servers that behave in each way. */
export const PATTERNS = {
  empty: 45,
  few: 20,
  wave: 20,
  crowded: 5,
  flapping: 2,
  dead: 8,
} as const;
/** The way in which a simulated server behaves. */
export type Pattern = keyof typeof PATTERNS;

/** Average number of players of a simulated server at the time `at` (Unix ms). */
function averageOf(pattern: Pattern, at: number): number {
  const wave = (1 + Math.sin((at / (24 * HOUR)) * 2 * Math.PI)) / 2;
  return { empty: 0, few: 1.5 * wave, wave: 20 * wave, crowded: 60 + 400 * wave, flapping: 8, dead: 0 }[
    pattern
  ];
}

/**
 * Yields the samples of a simulated server for `hours` hours. `longEmptyMinutes`: probe interval of a server that has
 * been empty for a long time, in minutes.
 */
export function* simulatedServer(
  pattern: Pattern,
  seed: number,
  hours: number,
  longEmptyMinutes: number,
): Generator<Sample> {
  const below = randomNumbers(seed);
  const phase = below(MINUTE);
  const from = Date.UTC(2026, 0, 1);
  let players = Math.round(averageOf(pattern, from));
  let emptyMinutes = 0;
  let mapEndsAt = from;
  let awayUntil = 0;
  let isUp = pattern !== 'dead';
  for (let minute = 0; minute < hours * 60; ) {
    const minutes = isUp ? (emptyMinutes > 40 ? longEmptyMinutes : 1) : 15;
    // Each simulated probe is up to 2 s late.
    const at = from + minute * MINUTE + phase + below(2_000);
    const average = averageOf(pattern, at);
    // The players of an occupied server come and go one by one.
    for (let step = 0; step < minutes; step++) {
      for (let i = 0; i < 1 + average / 40; i++) {
        if (below(1_000) < 60 * Math.min(average, 10)) players += below(2 * average + 1) < players ? -1 : 1;
      }
    }
    players = Math.max(players, 0);
    // A new map begins every 20 to 40 minutes. In one of three cases, half of the players leave.
    if (at > mapEndsAt) {
      if (mapEndsAt > from && below(3) === 0) players = Math.floor(players / 2);
      mapEndsAt = at + (20 + below(20)) * MINUTE;
    }
    if (pattern === 'flapping' && below(6) === 0) isUp = !isUp;
    // Simulates that no prober runs for up to 5 hours, about once in two days.
    if (below(2 * 24 * 60) < minutes) awayUntil = at + below(5 * HOUR);
    emptyMinutes = players === 0 ? emptyMinutes + minutes : 0;
    minute += pattern === 'flapping' ? 1 : minutes;
    // Skips one of 200 probes, to simulate lost samples.
    if (at < awayUntil || below(200) === 0) continue;
    const holdMs = 1.5 * minutes * MINUTE;
    const counts = isUp ? { players, maxPlayers: 32 } : { players: undefined, maxPlayers: undefined };
    yield { at, state: isUp ? 'online' : 'offline', ...counts, bots: 0, holdMs };
  }
}
