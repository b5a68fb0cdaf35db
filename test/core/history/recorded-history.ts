import assert from 'node:assert/strict';
import { HistoryReader, type HistoryReaderDependencies } from '../../../core/history/history-reader.ts';
import type { Figures, SealedHour } from '../../../core/history/history-store.ts';
import {
  appendSample,
  beginHour,
  calendarHourOf,
  decodeHour,
  hourOf,
  sealedHour,
} from '../../../core/history/hour-coding.ts';
import { hourPhaseOfKey } from '../../../core/history/hour-phase.ts';
import { rollUp, sumFigures } from '../../../core/history/rollup.ts';
import type { Sample } from '../../../core/history/sample.ts';
import { NaiveHistory } from './naive-history.ts';

/** Length of a minute, ms. */
export const MINUTE = 60_000;
/** Length of a quarter hour, ms. */
export const QUARTER = 15 * MINUTE;
/** Length of a day, ms. */
export const DAY = 86_400_000;
const KEY = 'csgo 1.2.3.4:27015';
const PHASE = hourPhaseOfKey(KEY);
/** Start of the histories that `recorded` creates: a Monday, 00:00 UTC. */
export const START = Date.UTC(2026, 4, 18);
/**
 * How long the histories that `recorded` creates keep samples and summaries of 15 minutes, ms. Only the reader uses
 * these times: the store of `recorded` deletes nothing because of them.
 */
export const retention = { samplesMs: DAY, quartersMs: 30 * DAY };

/** Returns a sample of an online server at the time `at` (Unix ms). `change` replaces single fields. */
export function sample(at: number, change: Partial<Sample> = {}): Sample {
  return { at, state: 'online', players: 5, maxPlayers: 10, bots: 0, holdMs: 90_000, ...change };
}

/**
 * Creates a server, and its history with these samples. The history always has two incidents: one that began a day
 * after START and has not ended, and one that ended before START. All times are Unix ms.
 *
 * - `now`: the current time.
 * - `summedTo`: until this time, the history has summaries of days.
 * - `rolledUpTo`: from `summedTo` until this time, the history has summaries of 15 minutes.
 * - `insertedAt`: the time of the server's insert.
 */
export function recorded(
  samples: readonly Sample[],
  {
    now,
    rolledUpTo = 0,
    summedTo = 0,
    insertedAt = START,
  }: { now: number; rolledUpTo?: number; summedTo?: number; insertedAt?: number },
) {
  const naive = new NaiveHistory(insertedAt);
  const hours: SealedHour[] = [];
  let openHour: Uint8Array = Buffer.alloc(0);
  for (const each of samples) {
    if (openHour.length > 0 && calendarHourOf(openHour) === hourOf(each.at, PHASE))
      openHour = appendSample(openHour, each, PHASE);
    else {
      if (openHour.length > 0) hours.push(sealedHour(openHour));
      openHour = beginHour(each, PHASE);
    }
  }
  if (openHour.length > 0) naive.samples.push(...[...hours, sealedHour(openHour)].flatMap(decodeHour));
  const stored = hours.flatMap(decodeHour);
  const rows = (from: number, to: number, slotMs: number): Figures[] =>
    rollUp(stored, from, slotMs, Math.max(0, (to - from) / slotMs)).flatMap(each => each ?? []);
  const store: HistoryReaderDependencies['store'] = {
    hours: async (_, from, to) =>
      hours.filter(
        ({ hour }) => hour + PHASE + 60 * MINUTE > from && hour + PHASE < to && hour + 2 * DAY > rolledUpTo,
      ),
    quarters: async (_, from, to) =>
      rows(Math.max(START, from), Math.min(to, rolledUpTo), QUARTER).filter(row => row.from >= summedTo),
    days: async (_, from, to) => rows(Math.max(START, from), Math.min(to, summedTo), DAY),
    oldest: () => START,
    incidents: async () => [
      { started: START + DAY, ended: undefined, reason: 'no_reply' },
      { started: START - DAY, ended: START - 1, reason: 'refused' },
    ],
  };
  const server = { key: KEY, insertedAt, openHour };
  const reader = new HistoryReader({ store, retention, longestHoldMs: 90 * MINUTE, now: () => now });
  return {
    server,
    reader,
    naive,
    /**
     * Reads the steps of the history from `from` to `to`, and checks their uptime and player numbers. The expected
     * numbers are sums over all samples. `stepMs`: length of a step, ms. Returns the steps.
     */
    async compare(from: number, to: number, stepMs: number) {
      const steps = await reader.steps(server, { from, to, stepMs });
      const expected = Array.from({ length: (to - from) / stepMs }, (_, i) =>
        sumFigures(
          [naive.figures(from + i * stepMs, from + (i + 1) * stepMs, now)],
          from + i * stepMs,
          from + (i + 1) * stepMs,
        ),
      );
      assert.deepEqual(steps, expected);
      return steps;
    },
  };
}

/**
 * Returns one sample of an online server for each minute. `players` is called with the index of each sample, and
 * returns the number of players.
 */
export function minutes(from: number, to: number, players: (i: number) => number = () => 5): Sample[] {
  return Array.from({ length: (to - from) / MINUTE }, (_, i) =>
    sample(from + i * MINUTE, { players: players(i) }),
  );
}
