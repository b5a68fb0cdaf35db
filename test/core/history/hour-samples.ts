import assert from 'node:assert/strict';
import { appendSample, beginHour } from '../../../core/history/hour-coding.ts';
import type { Sample } from '../../../core/history/sample.ts';

/** Start of the full hour of the clock in which HOUR lies, Unix ms. */
export const CALENDAR_HOUR = Date.UTC(2026, 0, 1, 13);
/**
 * Hour phase of a server, ms. Each hour of samples of this server starts PHASE milliseconds after a full hour of the
 * clock.
 */
export const PHASE = 2_469_000;
/**
 * Start of the hour whose samples the tests encode, Unix ms. It is PHASE milliseconds after a full hour of the clock.
 */
export const HOUR = CALENDAR_HOUR + PHASE;
/** Length of a minute, ms. */
export const MINUTE = 60_000;

/**
 * Returns a sample of an online server with 7 players and 32 slots. `second`: time of the sample, in seconds since the
 * start of the hour. `change` replaces single fields.
 */
export function sampleAt(second: number, change: Partial<Sample> = {}): Sample {
  return {
    at: HOUR + second * 1_000,
    state: 'online',
    players: 7,
    maxPlayers: 32,
    bots: 0,
    holdMs: 1.5 * MINUTE,
    ...change,
  };
}

/** Returns a sample of an offline server. The parameters are those of `sampleAt`. */
export function offlineAt(second: number, change: Partial<Sample> = {}): Sample {
  return sampleAt(second, {
    state: 'offline',
    players: undefined,
    maxPlayers: undefined,
    ...change,
  });
}

/** Encodes samples of one hour. Returns the bytes of this hour, to which further samples can be appended. */
export function openHour([first, ...others]: readonly Sample[]): Uint8Array {
  assert.ok(first);
  const begun: Uint8Array = beginHour(first, PHASE);
  return others.reduce((open, sample) => appendSample(open, sample, PHASE), begun);
}

/**
 * Returns random samples of an hour, sorted by time. Most samples come about one probe interval after the previous
 * sample. `below(n)` returns a random whole number from 0 to n - 1.
 */
export function randomSamples(below: (limit: number) => number): Sample[] {
  const samples: Sample[] = [];
  let state: Sample['state'] = 'online';
  let minutes = 1;
  let players = below(40);
  let maxPlayers: number | undefined = 32;
  let bots = 0;
  const wild = below(4) === 0;
  for (let at = HOUR + below(wild ? 3_600_000 : 60_000); at < HOUR + 3_600_000; ) {
    if (below(wild ? 3 : 20) === 0) state = (['online', 'offline', 'unknown'] as const)[below(3)] ?? 'online';
    if (below(wild ? 4 : 30) === 0) minutes = 1 + below(wild ? 2_000 : 15);
    if (below(2) === 0) players = Math.max(0, players + below(5) - 2);
    if (below(30) === 0) players = below(wild ? 2 ** 32 : 200);
    if (below(30) === 0) maxPlayers = below(3) === 0 ? undefined : below(wild ? 2 ** 32 : 100);
    if (below(30) === 0) bots = below(wild ? 2 ** 32 : 20);
    const isOnline = state === 'online';
    samples.push({
      at,
      state,
      players: isOnline && below(50) > 0 ? players : undefined,
      maxPlayers: isOnline ? maxPlayers : undefined,
      bots: isOnline ? bots : 0,
      holdMs: minutes * 1.5 * MINUTE - (wild ? below(80_000) : 0),
    });
    const due = at + minutes * MINUTE + below(20_000) - 10_000;
    at = below(wild ? 2 : 10) === 0 ? at + below(200_000) - 5_000 : due;
  }
  return samples;
}
