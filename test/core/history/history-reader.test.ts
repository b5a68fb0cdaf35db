import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
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

const MINUTE = 60_000;
const QUARTER = 15 * MINUTE;
const DAY = 86_400_000;
const KEY = 'csgo 1.2.3.4:27015';
const PHASE = hourPhaseOfKey(KEY);
/** Time at which the histories of these tests begin: a Monday, 00:00 UTC. */
const START = Date.UTC(2026, 4, 18);
const retention = { samplesMs: DAY, quartersMs: 30 * DAY };

function sample(at: number, change: Partial<Sample> = {}): Sample {
  return { at, state: 'online', players: 5, maxPlayers: 10, bots: 0, holdMs: 90_000, ...change };
}

/**
 * Creates a server, and its history with these samples. All times are Unix ms. This file has more than 300 lines,
 * because all its tests use this function.
 *
 * - `summedTo`: until this time, the history has summaries of days.
 * - `rolledUpTo`: from `summedTo` until this time, the history has summaries of 15 minutes.
 */
function recorded(
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
function minutes(from: number, to: number, players: (i: number) => number = () => 5): Sample[] {
  return Array.from({ length: (to - from) / MINUTE }, (_, i) =>
    sample(from + i * MINUTE, { players: players(i) }),
  );
}

/** Creates a reader of a history that contains only `stored`: the encoded samples of one or more hours. */
function readerOf(stored: SealedHour[], now: number): HistoryReader {
  const [hours, none] = [async () => stored, async () => []];
  const store = { hours, quarters: none, days: none, incidents: none, oldest: () => 0 };
  return new HistoryReader({ store, retention, longestHoldMs: 90 * MINUTE, now: () => now });
}

describe('the history of a server', () => {
  it('shows nothing after the current time, even if the last sample has a time some seconds in the future', async () => {
    const now = START + 2 * MINUTE - 5_000;
    const { reader, server } = recorded(minutes(START, START + 3 * MINUTE), { now });
    const { knownMs } = await reader.window(server, { text: '24h', ms: DAY });
    assert.equal(knownMs, now - START);
  });

  it('shows the first sample of a server that was probed within the same second as its insert', async () => {
    const { reader, server } = recorded(minutes(START, START + MINUTE), {
      now: START + MINUTE,
      insertedAt: START + 400,
    });
    const { knownMs } = await reader.window(server, { text: '24h', ms: DAY });
    assert.equal(knownMs, MINUTE);
  });

  it('shows the mean and the highest number of players of each step', async () => {
    const to = START + 4 * MINUTE;
    const { compare } = recorded(
      minutes(START, to, i => i),
      { now: to },
    );
    const [first, second] = await compare(START, to, 2 * MINUTE);
    assert.deepEqual([first?.playerMs, first?.countedMs, first?.playersMax], [MINUTE, 2 * MINUTE, 1]);
    assert.deepEqual([second?.playerMs, second?.countedMs, second?.playersMax], [5 * MINUTE, 2 * MINUTE, 3]);
  });

  it('counts a gap between samples as unknown, not as online or offline', async () => {
    const gap = START + 10 * MINUTE;
    const to = START + 30 * MINUTE;
    const { compare } = recorded([...minutes(START, gap), ...minutes(gap + 10 * MINUTE, to)], { now: to });
    const steps = await compare(START, to, 5 * MINUTE);
    assert.deepEqual(
      steps.map(step => step && [step.knownMs, step.onlineMs]),
      [
        [300_000, 300_000],
        [300_000, 300_000],
        [30_000, 30_000],
        undefined,
        [300_000, 300_000],
        [300_000, 300_000],
      ],
    );
  });

  it('includes the offline time of the server, but without a number of players', async () => {
    const to = START + 2 * MINUTE;
    const offline = sample(START + MINUTE, { state: 'offline', players: undefined, maxPlayers: undefined });
    const { compare } = recorded([sample(START), offline], { now: to });
    const [step] = await compare(START, to, 2 * MINUTE);
    assert.deepEqual([step?.knownMs, step?.onlineMs, step?.countedMs], [2 * MINUTE, MINUTE, MINUTE]);
  });

  it('counts the time as unknown while a server cannot be queried', async () => {
    const to = START + 2 * MINUTE;
    const unknown = sample(START + 30_000, { state: 'unknown', players: undefined, maxPlayers: undefined });
    const { compare } = recorded([sample(START), unknown], { now: to });
    const steps = await compare(START, to, MINUTE);
    assert.deepEqual([steps[0]?.knownMs, steps[1]], [30_000, undefined]);
  });

  it('ends at the current time, even if the last sample stays valid for longer', async () => {
    const { compare } = recorded([sample(START)], { now: START + 20_000 });
    const steps = await compare(START, START + 2 * MINUTE, MINUTE);
    assert.deepEqual([steps[0]?.knownMs, steps[1]], [20_000, undefined]);
  });

  it('leaves out samples from before the insert of the server', async () => {
    const to = START + 10 * MINUTE;
    const insertedAt = START + 5 * MINUTE;
    const { compare } = recorded(minutes(START, to), { now: to, insertedAt });
    const steps = await compare(START, to, MINUTE);
    assert.equal(
      steps.findIndex(step => step !== undefined),
      5,
    );
  });

  it('is unknown before the insert of the server and after the current time', async () => {
    const { reader, server } = recorded([sample(START)], { now: START + MINUTE });
    const stepMs = 1_000 * DAY;
    const from = Math.floor(START / stepMs) * stepMs;
    const steps = await reader.steps(server, { from: 0, to: 2_000 * stepMs, stepMs });
    assert.equal(steps.length, 2_000);
    assert.deepEqual(
      steps.flatMap((step, i) => (step ? [i] : [])),
      [from / stepMs],
    );
  });

  it('shows all stored samples of the current hour, even if the server record contains only some of these samples', async () => {
    const to = START + 5 * MINUTE;
    const { server, reader } = recorded(minutes(START, to), { now: to });
    const older = recorded(minutes(START, START + MINUTE), { now: to });
    const hours = [sealedHour(server.openHour)];
    const after = readerOf(hours, to);
    const range = { from: START, to, stepMs: MINUTE };
    const expected = await reader.steps(server, range);
    for (const some of [older.server, server]) assert.deepEqual(await after.steps(some, range), expected);
  });

  it('shows the samples of the current hour, even if the history also contains samples with future times', async () => {
    const to = START + 5 * MINUTE;
    const { server, reader } = recorded(minutes(START, to), { now: to });
    const hours = [30, 60].map(from => {
      const wrong = minutes(START + from * MINUTE, START + (from + 30) * MINUTE);
      return sealedHour(recorded(wrong, { now: to }).server.openHour);
    });
    const after = readerOf(hours, to);
    const range = { from: START, to, stepMs: MINUTE };
    assert.deepEqual(await after.steps(server, range), await reader.steps(server, range));
  });

  it('equals a calculation from all samples, even if only totals of the old samples are stored', async () => {
    const rolledUpTo = START + 5 * DAY;
    const now = rolledUpTo + 1.5 * DAY + 17_000;
    const wave = (i: number) => Math.round(10 + 10 * Math.sin(i / 200));
    const all = minutes(START, now - (now % MINUTE), wave).filter(
      ({ at }) => at % (7 * 3_600_000) > 40 * MINUTE,
    );
    for (const summedTo of [0, START + 2 * DAY]) {
      const { compare } = recorded(all, { now, rolledUpTo, summedTo });
      const end = START + 7 * DAY;
      await compare(START, end, DAY);
      await compare(START, end, 7 * DAY);
      await compare(START + 2 * DAY, end, QUARTER);
      await compare(START + 2 * DAY, end, 5 * 3_600_000);
      await compare(rolledUpTo, rolledUpTo + 1.5 * DAY, MINUTE);
      await compare(rolledUpTo, rolledUpTo + 1.5 * DAY, 10 * MINUTE);
    }
  });
});

describe('a history step of several years', () => {
  it('sums the figures of the days that it contains', async () => {
    const now = START + 5 * DAY + 8 * MINUTE;
    const { reader, server, naive } = recorded(minutes(START, now - (now % MINUTE)), { now });
    const stepMs = 3_660 * DAY;
    const to = Math.ceil(now / stepMs) * stepMs;
    const [before, step] = await reader.steps(server, { from: to - 2 * stepMs, to, stepMs });
    assert.equal(before, undefined);
    assert.deepEqual(step, naive.figures(to - stepMs, to, now));
  });
});

describe('the uptime of a server', () => {
  it('has two parts for each time window: the time with known status and the time online', async () => {
    const now = START + DAY;
    const offline = minutes(START + DAY / 2, START + DAY / 2 + 60 * MINUTE).map(({ at }) =>
      sample(at, { state: 'offline', players: undefined, maxPlayers: undefined }),
    );
    const samples = [
      ...minutes(START + DAY / 4, START + DAY / 2),
      ...offline,
      ...minutes(START + DAY / 2 + 60 * MINUTE, now),
    ];
    const { reader, server } = recorded(samples, { now });
    const { from, to, knownMs, onlineMs } = await reader.window(server, { text: '24h', ms: DAY });
    assert.deepEqual([from, to], [START, now]);
    assert.deepEqual([knownMs, onlineMs], [0.75 * DAY, 0.75 * DAY - 60 * MINUTE]);
  });

  it('is the same as a calculation from all samples, for windows of hours, weeks and years', async () => {
    const now = START + 40 * DAY + 3 * 3_600_000 + 8 * MINUTE + 5_000;
    const samples = minutes(START, now - (now % MINUTE)).filter((_, i) => i % 1_000 < 800);
    const { reader, server, naive } = recorded(samples, {
      now,
      rolledUpTo: START + 39 * DAY,
      summedTo: START + 9 * DAY,
    });
    for (const ms of [3_600_000, DAY, 2 * DAY, 7 * DAY, 30 * DAY, 365 * DAY]) {
      const figures = await reader.window(server, { text: '', ms });
      assert.deepEqual(figures, naive.figures(figures.from, now, now), String(ms));
      assert.ok(now - ms - figures.from < DAY && figures.from <= now - ms);
    }
  });

  it('is unknown for a server without samples', async () => {
    const { reader, server } = recorded([], { now: START + DAY });
    assert.equal((await reader.window(server, { text: '7d', ms: 7 * DAY })).knownMs, 0);
  });
});

describe('the incidents of a server', () => {
  it('include only incidents after the insert of the server', async () => {
    const { reader, server } = recorded([], { now: START + 2 * DAY });
    const judged = { ...server, status: 'offline' as const, lastProbeAt: START + 2 * DAY };
    const incidents = await reader.incidents(judged, Number.POSITIVE_INFINITY, 10);
    assert.deepEqual(
      incidents.map(({ reason, ended }) => [reason, ended]),
      [['no_reply', undefined]],
    );
  });
});
