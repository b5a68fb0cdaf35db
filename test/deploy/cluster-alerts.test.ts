import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readAlerts } from './deployed.ts';
import { evaluate } from './promql/evaluator.ts';
import type { Scrape } from './promql/series.ts';

const MINUTE_MS = 60_000;

/**
 * Returns the names of the alerts about the cluster size that fire at the time of the last entry in `counts`. `counts`:
 * one entry for each minute, with the metric `gsq_cluster_members` of each core (undefined if the core does not
 * answer).
 */
function firing(counts: readonly (readonly (number | undefined)[])[]): string[] {
  const scrapes = counts.flatMap((cores, minute): Scrape[] =>
    cores.map((value, core) => ({
      at: minute * MINUTE_MS,
      labels: new Map([
        ['job', 'gsq-core'],
        ['instance', `core${core + 1}:9091`],
      ]),
      samples: value === undefined ? undefined : [{ name: 'gsq_cluster_members', labels: new Map(), value }],
    })),
  );
  return readAlerts()
    .filter(({ expression }) => expression.includes('gsq_cluster_members'))
    .filter(({ expression }) => evaluate(expression, scrapes, (counts.length - 1) * MINUTE_MS).length > 0)
    .map(({ name }) => name);
}

test('the alerts about the number of cores do not fire while all three cores report a cluster of three cores', () => {
  assert.deepEqual(firing(Array(12).fill([3, 3, 3])), []);
});

test('the alert GsqCoreLost fires for ten minutes after a core is lost', () => {
  assert.deepEqual(
    firing([
      [3, 3, 3],
      [2, 2, undefined],
    ]),
    ['GsqCoreLost'],
  );
  assert.deepEqual(firing([[3, 3, 3], ...Array(11).fill([2, 2, undefined])]), []);
});

test('the alert GsqCoreLost does not fire if a core joins', () => {
  assert.deepEqual(
    firing([
      [2, 2, undefined],
      [3, 3, 3],
    ]),
    [],
  );
});

test('the alert GsqCoresDisagree fires if one core reports fewer cores in the cluster than the other cores', () => {
  assert.deepEqual(firing(Array(12).fill([3, 3, 2])), ['GsqCoresDisagree']);
});
