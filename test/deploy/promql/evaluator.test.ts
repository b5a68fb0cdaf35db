import assert from 'node:assert/strict';
import { test } from 'node:test';
import { evaluate } from './evaluator.ts';
import type { Scrape } from './series.ts';

/**
 * Returns simulated scrapes of one Prometheus target, one scrape every ten seconds. Each key of `rows` is a series, and
 * the value is the list of its samples.
 */
function scraped(rows: Record<string, (number | undefined)[]>): Scrape[] {
  const times = Math.max(...Object.values(rows).map(row => row.length));
  return Array.from({ length: times }, (_, i) => ({
    at: i * 10_000,
    labels: new Map([['job', 'gsq-core']]),
    samples: Object.entries(rows).flatMap(([key, row]) => {
      const [, name = '', labels = ''] = /^(\w+)(?:\{(.*)\})?$/.exec(key) ?? [];
      const pairs = [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(
        ([, label = '', text = '']) => [label, text] as const,
      );
      const value = row[i];
      return value === undefined ? [] : { name, labels: new Map(pairs), value };
    }),
  }));
}

const rows = {
  'calls_total{code="OK"}': [0, 100, 200, 10],
  'calls_total{code="AUTH_3"}': [0, 0, 5, 10],
  'wait_bucket{le="0.1"}': [0, 5, 50, 50],
  'wait_bucket{le="1"}': [0, 9, 90, 90],
  'wait_bucket{le="+Inf"}': [0, 10, 100, 100],
  free: [10, 10, 10, 4],
  size: [40, 40, 40, 40],
  'gone{a="1"}': [1, 1, undefined, undefined],
};
const scrapes = scraped(rows);
const at = 30_000;
const values = (expression: string) =>
  evaluate(expression, scrapes, at).map(({ labels, value }) => [
    [...labels]
      .filter(([label]) => label !== 'job')
      .map(pair => pair.join('='))
      .join(),
    value,
  ]);

const cases: [expression: string, expected: unknown[]][] = [
  ['free', [['', 4]]],
  ['free < 0.2 * size', [['', 4]]],
  ['free > 0.2 * size', []],
  ['free / size', [['', 0.1]]],
  ['2 + 3 * 4 - 1', [['', 13]]],
  ['calls_total{code!="OK"}', [['code=AUTH_3', 10]]],
  ['calls_total{code=~"AUTH_.*|X"}', [['code=AUTH_3', 10]]],
  ['calls_total{code=~"AUTH"}', []],
  ['sum(calls_total)', [['', 20]]],
  ['sum by (job) (calls_total) > 19', [['', 20]]],
  ['sum without (code) (calls_total)', [['', 20]]],
  ['max(calls_total) - min(calls_total)', [['', 0]]],
  [
    'count by (code) (calls_total)',
    [
      ['code=OK', 1],
      ['code=AUTH_3', 1],
    ],
  ],
  // The samples of the counter are 0, 100, 200 and 10. PromQL treats the drop to 10 as a reset to 0, followed by an
  // increase by 10.
  ['increase(calls_total{code="OK"}[1m])', [['code=OK', 210]]],
  ['rate(calls_total{code="OK"}[1m])', [['code=OK', 7]]],
  ['rate(calls_total{code="OK"}[15s])', [['code=OK', 1]]],
  ['changes(free[5m])', [['', 1]]],
  ['max_over_time(free[5m])', [['', 10]]],
  ['histogram_quantile(0.5, sum by (le) (rate(wait_bucket[1m])))', [['', 0.1]]],
  ['histogram_quantile(0.7, sum by (le) (wait_bucket))', [['', 0.55]]],
  ['histogram_quantile(0.99, sum by (le) (wait_bucket))', [['', 1]]],
  ['gone', []],
  ['free and on (job) size > 1', [['', 4]]],
  ['free unless on (job) size', []],
  ['gone or free', [['', 4]]],
  ['up{job="gsq-core"} == 1', [['', 1]]],
  ['up == 0', []],
];
for (const [expression, expected] of cases) {
  test(`the PromQL evaluator computes ${expression}`, () => {
    const found = values(expression).map(([labels, value]) => [
      labels,
      Math.round(Number(value) * 1e9) / 1e9,
    ]);
    assert.deepEqual(found, expected);
  });
}

test('the PromQL evaluator returns `up == 0` for a scrape target that does not answer', () => {
  const down: Scrape = { at: 40_000, labels: new Map([['job', 'gsq-core']]), samples: undefined };
  assert.deepEqual(evaluate('up == 0', [...scrapes, down], 40_000).length, 1);
  assert.deepEqual(evaluate('free', [...scrapes, down], 40_000), []);
});

test('the PromQL evaluator throws on an expression that it does not support', () => {
  for (const text of [
    '',
    'free[5m]',
    'rate(free)',
    'made_up_function(free)',
    'free +',
    'free)',
    'free{a="1"',
    'free[5x]',
    'free ? 1',
  ]) {
    assert.throws(() => evaluate(text, scrapes, at), text);
  }
});
