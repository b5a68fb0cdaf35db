import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Cell } from './cells.ts';
import { judge } from './claims.ts';
import { type CellCounters, emptyCounters, quantile } from './counters.ts';

const cell = (scenario: string, loss: number, counters: Partial<CellCounters>): Cell => ({
  scenario,
  loss,
  size: 50,
  counters: { ...emptyCounters(), probes: 100_000, ...counters },
});

/**
 * Returns the names of all claims about gsq that are false for these simulation results. An example of a claim is a
 * limit for false offline reports.
 */
const broken = (...cells: Cell[]): string[] =>
  judge(cells, false)
    .filter(({ held }) => !held)
    .map(({ claim }) => claim);

test('npm run test:truth reports no failed claim (such as "no false offline report at 5 % packet loss") if all values are within their limits', () => {
  const ended = cell('one-ends', 5, { verdicts: [1.2, 1.3, 1.6, 2.9], mostToAddress: 4, mostToNetwork: 20 });
  const returned = cell('restart-90', 5, { returns: [0.2, 0.9] });
  assert.deepEqual(broken(ended, returned), []);
});

test('npm run test:truth reports a claim (such as "no false offline report") as failed if a measured value exceeds its limit', () => {
  const late = broken(cell('one-ends', 5, { verdicts: [1.2, 1.7, 3.1] }));
  assert.deepEqual(late, [
    'ended to offline at 0 and 5 %: median within 1.6 intervals',
    'ended to offline at 0 and 5 %: p99 within 3 intervals',
  ]);
  assert.deepEqual(broken(cell('filtered', 40, { verdicts: [9, Number.POSITIVE_INFINITY] })), [
    'ended to offline: always within 600 s',
  ]);
  assert.deepEqual(broken(cell('icmp', 20, { falseOffline: 1 })), [
    'false offline at 20 % loss: none',
    'false offline under ICMP rejects: none',
  ]);
  assert.deepEqual(broken(cell('unresponsive', 5, { rateLimited: 1 })), [
    'labelled rate_limited at 5 % random loss: nobody',
  ]);
  assert.deepEqual(broken(cell('limited', 0, { mostToAddress: 5, mostToNetwork: 21 })), [
    'packets to an address within a second: 4',
    'packets to a /24 within a second: 20',
  ]);
});

test('npm run test:truth reports a claim (such as "no false offline report") as failed if the simulations measured no value for this claim', () => {
  assert.ok(broken(cell('all-end', 0, {})).length > 0);
});

test('at 40 % packet loss, npm run test:truth allows at most one false offline report per 100,000 simulated probes', () => {
  const wrong = (falseOffline: number) =>
    broken(cell('one-ends', 40, { falseOffline, verdicts: [9] }), cell('unresponsive', 40, {}));
  assert.deepEqual(wrong(2), []);
  assert.deepEqual(wrong(3), ['false offline at 40 % loss: at most 1 in 100000']);
});

test('npm run test:truth -- --long reports a failed claim if fewer than a million probes were simulated', () => {
  const verdicts = judge([cell('unresponsive', 0, { probes: 999_999 })], true);
  assert.ok(verdicts.some(({ claim, held }) => claim.includes('stand still') && !held));
});

test('quantile() sorts the values first, and quantile(values, 0.5) returns the second of four values', () => {
  assert.deepEqual(
    [0, 0.5, 0.95, 1].map(share => quantile([4, 1, 3, 2], share)),
    [1, 2, 4, 4],
  );
  assert.equal(quantile([], 0.5), undefined);
});
