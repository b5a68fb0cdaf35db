import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HistoryReader } from '../../../core/history/history-reader.ts';
import { decodeHour } from '../../../core/history/hour-coding.ts';
import type { Sample } from '../../../core/history/sample.ts';
import { scratchDirectory } from '../../system/scratch-directory.ts';
import { clockAt } from '../clock.ts';
import {
  DAY,
  everyMinute,
  HOUR,
  hoursOf,
  LONGEST_HOLD,
  offlineAt,
  onlineAt,
  openHistory,
} from '../store/history/opened-history.ts';
import { NaiveHistory } from './naive-history.ts';

const START = Date.UTC(2026, 4, 18);
const DAYS = 6;
/**
 * How the history rounds the figures of a quarter hour. `ms`: length of a quarter hour, ms. `timeMs`: largest rounding
 * error of a duration, ms. `mean`: largest rounding error of the mean number of players.
 */
const QUARTER = { ms: HOUR / 4, timeMs: 1_000, mean: 1 / 8 };

/**
 * Simulated behaviour of game servers. Each function returns the sample (probe result) at the time `at`, or undefined
 * if there was no probe.
 */
const PATTERNS: Record<string, (at: number) => Sample | undefined> = {
  steady: at => onlineAt(at, 12),
  wave: at => onlineAt(at, Math.round(16 + 16 * Math.sin((at / DAY) * 2 * Math.PI))),
  flapping: at => (at % (35 * 60_000) < 20 * 60_000 ? onlineAt(at, 3) : offlineAt(at)),
  dead: at => (at < START + HOUR ? onlineAt(at, 5) : offlineAt(at)),
  gaps: at => (at % (1.3 * DAY) < 7.4 * HOUR ? undefined : onlineAt(at, 20)),
};

test('the stored history gives the same uptime and player numbers as all original samples, except for rounding', async t => {
  const clock = clockAt(START);
  const history = openHistory(t, scratchDirectory(), clock);
  clock.at = START + DAYS * DAY + 5 * HOUR + 17_000;
  const naive = new Map<string, NaiveHistory>();
  for (const [key, sampleAt] of Object.entries(PATTERNS)) {
    const samples = everyMinute(START, clock.at - 17_000, at => sampleAt(at) as Sample).filter(each => each);
    const hours = hoursOf(key, samples);
    for (const hour of hours) history.store.sealHour(key, hour);
    const all = new NaiveHistory(START);
    all.samples.push(...hours.flatMap(decodeHour));
    naive.set(key, all);
  }
  await history.flush();
  await history.maintain();
  assert.equal(history.counters.rolledUp, DAYS * naive.size);
  const retention = { samplesMs: DAY, quartersMs: 30 * DAY };
  const reader = new HistoryReader({
    store: history.store,
    retention,
    longestHoldMs: LONGEST_HOLD,
    now: clock.now,
  });
  for (const [key, all] of naive) {
    const server = { key, insertedAt: START, openHour: Buffer.alloc(0) };
    for (const stepMs of [300_000, QUARTER.ms, HOUR, DAY]) {
      const from = stepMs < QUARTER.ms ? START + (DAYS - 1) * DAY + 6 * HOUR : START;
      const to = Math.ceil(clock.at / stepMs) * stepMs;
      const steps = await reader.steps(server, { from, to, stepMs });
      for (const [i, step] of steps.entries()) {
        const expected = all.figures(from + i * stepMs, from + (i + 1) * stepMs, clock.at);
        const place = `${key}, ${stepMs / 1_000} s, step ${i}`;
        const parts = Math.max(1, stepMs / QUARTER.ms);
        for (const name of ['knownMs', 'onlineMs', 'countedMs'] as const)
          assert.ok(
            Math.abs((step?.[name] ?? 0) - expected[name]) <= parts * QUARTER.timeMs,
            `${place}: ${name}`,
          );
        assert.equal(step?.playersMax ?? 0, expected.playersMax, place);
        const counted = expected.countedMs;
        if (counted === 0 || !step) continue;
        const mean = step.playerMs / step.countedMs;
        assert.ok(Math.abs(mean - expected.playerMs / counted) <= QUARTER.mean, `${place}: mean`);
      }
    }
    const { from, to, knownMs, onlineMs } = await reader.window(server, { text: '7d', ms: 7 * DAY });
    const expected = all.figures(from, to, to);
    assert.ok(Math.abs(knownMs - expected.knownMs) / (to - from) < 1e-3, key);
    assert.ok(Math.abs(onlineMs - expected.onlineMs) / (to - from) < 1e-3, key);
  }
});
