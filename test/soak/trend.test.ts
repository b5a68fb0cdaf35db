import assert from 'node:assert/strict';
import { test } from 'node:test';
import { randomNumbers } from '../system/random-numbers.ts';
import { type Point, trendOf } from './trend.ts';

const below = randomNumbers(5);
const noise = (most: number): number => below(1_000) * (most / 1_000);
const minutes = (count: number, value: (at: number) => number): Point[] =>
  Array.from({ length: count * 12 }, (_, i) => ({ at: i * 5, value: value(i * 5) }));
const MINUTE = 60;

test('trendOf finds the growth of a steady leak, and almost no growth in noise around a constant value', () => {
  const flat = trendOf(
    minutes(30, () => 100 + noise(10)),
    10 * MINUTE,
  );
  assert.ok(Math.abs(flat.growth) < 3 && Math.abs(flat.median - 105) < 2, JSON.stringify(flat));
  const leak = trendOf(
    minutes(30, at => 100 + at / MINUTE + noise(10)),
    10 * MINUTE,
  );
  assert.ok(Math.abs(leak.growth - 20) < 3, JSON.stringify(leak));
});

test('trendOf ignores growth in the warm-up period at the start of the measurement', () => {
  const grown = trendOf(
    minutes(30, at => Math.min(at, 10 * MINUTE)),
    10 * MINUTE,
  );
  assert.deepEqual(grown, { median: 600, growth: 0 });
});

test('trendOf in mode `floor` measures only the growth of the minimum, not the regular rise and fall of a value', () => {
  const teeth = (at: number) => 50 + ((at * 7) % 41);
  assert.ok(Math.abs(trendOf(minutes(30, teeth), 0, 'floor').growth) < 3);
  const rising = trendOf(
    minutes(30, at => teeth(at) + at / 30),
    0,
    'floor',
  );
  assert.ok(Math.abs(rising.growth - 60) < 8, JSON.stringify(rising));
});

test('trendOf ignores a single outlier when it computes the growth of a measured value', () => {
  const { growth } = trendOf(
    minutes(30, at => (at === 1_700 ? 1e9 : 100)),
    0,
  );
  assert.equal(growth, 0);
});
