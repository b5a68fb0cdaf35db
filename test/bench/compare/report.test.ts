import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compared } from './report.ts';

const rowsOf = (...rounds: (readonly [number, number])[]) =>
  compared('main', 2, {
    'fetch 1': rounds.map(([before, after]) => [
      { gateway: before / 2, core: before / 2 },
      { gateway: after / 2, core: after / 2 },
    ]),
  }).rows;

test('a comparison of two gsq versions shows the median CPU time of each version and one ratio per process', () => {
  const [row] = rowsOf([100, 50], [200, 100], [300, 150]);
  assert.equal(row?.before, 200);
  assert.equal(row?.after, 100);
  assert.ok(Math.abs(Number(row?.ratio) - 2) < 1e-9);
  assert.ok(Math.abs(Number(row?.gateway) - 2) < 1e-9);
  assert.ok(Math.abs(Number(row?.core) - 2) < 1e-9);
  assert.equal(row !== undefined && 'prober' in row, false);
});

test('a comparison of two gsq versions marks the CPU target as missed if the measurements vary too much', () => {
  assert.equal(rowsOf([100, 100], [101, 100], [100, 101])[0]?.met, 'yes');
  assert.equal(rowsOf([100, 100], [120, 100], [100, 120])[0]?.met, 'no');
});
