import type { ServerPlan } from './fleet-plan.ts';

/** Length of the invented history of a demo server (PAST_MS), and time between two of its samples (STEP_MS), ms. */
const PAST_MS = 7 * 86_400_000;
const STEP_MS = 600_000;
const DAY_MS = 86_400_000;
/**
 * A gap in the invented history, as if the gsq service had been stopped for some time. `from` and `to`: start and end
 * of the gap, in ms before the present time.
 */
const UNKNOWN = { from: 2.6 * DAY_MS, to: 2.45 * DAY_MS };

/** A demo server and its invented history, in the form that `core/past.ts` reads. */
export interface ServerPast {
  game_id: string;
  address: string;
  max_players: number;
  step_ms: number;
  /**
   * Samples of the invented history, the oldest first. `at`: time of the sample, Unix ms. `players`: number of players,
   * or null if the server was offline.
   */
  samples: [at: number, players: number | null][];
}

/**
 * Invents the history of a demo server for the past week: more players in the evening (UTC), and short offline times.
 * `random`: returns numbers from 0 to 1.
 */
export function madeUpPast(plan: ServerPlan, address: string, now: number, random: () => number): ServerPast {
  const samples: ServerPast['samples'] = [];
  let offlineUntil = 0;
  for (let at = now - PAST_MS; at < now - STEP_MS; at += STEP_MS) {
    const age = now - at;
    if (age <= UNKNOWN.from && age > UNKNOWN.to) continue;
    if (at >= offlineUntil && random() < failureShare(plan)) offlineUntil = at + (1 + 5 * random()) * STEP_MS;
    samples.push([Math.round(at), at < offlineUntil ? null : playersAt(plan, at, random)]);
  }
  return { game_id: plan.gameId, address, max_players: plan.maxplayers, step_ms: STEP_MS, samples };
}

/** Probability with which a demo server goes offline at each sample of its invented history. */
function failureShare({ mood }: ServerPlan): number {
  return mood === 'failing' ? 0.02 : 0.0005;
}

function playersAt({ players, maxplayers, mood }: ServerPlan, at: number, random: () => number): number {
  if (mood === 'full') return maxplayers;
  const evening = 0.5 - 0.5 * Math.cos(((at % DAY_MS) / DAY_MS) * 2 * Math.PI - 0.8);
  const wanted = players * (0.35 + 0.9 * evening) + 2 * random() - 1;
  return Math.max(0, Math.min(maxplayers, Math.round(wanted)));
}
