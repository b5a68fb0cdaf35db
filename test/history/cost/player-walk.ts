/** Largest number of players of a simulated server. */
export const MOST_PLAYERS = 64;
/**
 * Percentage of the simulated servers that have players. The number of players of such a server changes about every
 * fourth minute.
 */
const PLAYED = 45;
const FIRST_PLAYERS = 30;
const MOST_STEP = 2;

/**
 * Returns the number of players with which a simulated server starts. `below(n)` returns a random integer from 0 to n -
 * 1.
 */
export function firstPlayers(below: (below: number) => number): number {
  return below(100) < PLAYED ? 1 + below(FIRST_PLAYERS) : 0;
}

/**
 * Returns the number of players of a simulated server at the next probe, a minute later. An empty server stays empty.
 */
export function nextPlayers(players: number, below: (below: number) => number): number {
  if (players === 0 || below(3) !== 0) return players;
  return Math.min(Math.max(players + below(2 * MOST_STEP + 1) - MOST_STEP, 1), MOST_PLAYERS);
}
