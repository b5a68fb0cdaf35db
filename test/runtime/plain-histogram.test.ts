import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Histogram, Registry } from 'prom-client';
import { PlainHistogram } from '../../runtime/plain-histogram.ts';
import { readExposition } from '../deploy/exposition.ts';
import { randomNumbers } from '../system/random-numbers.ts';

const buckets = [0.001, 0.1, 1, 5];
const options = { name: 'gsq_test_seconds', help: 'A test.', buckets };

test('PlainHistogram exports the same text as a histogram of prom-client', async () => {
  const [ours, theirs] = [new Registry(), new Registry()];
  const series = new PlainHistogram({ ...options, labelNames: ['a', 'b'], registry: ours }).series(
    'x',
    '"y"\n',
  );
  const reference = new Histogram({ ...options, labelNames: ['a', 'b'], registers: [theirs] });
  const below = randomNumbers(3);
  const samples = [
    0,
    0.001,
    0.1,
    1,
    5,
    5.000001,
    1e9,
    ...Array.from({ length: 500 }, () => below(8_000) / 1_000),
  ];
  for (const value of samples) {
    series.addSample(value);
    reference.observe({ a: 'x', b: '"y"\n' }, value);
  }
  assert.equal(await ours.metrics(), await theirs.metrics());
  readExposition(await ours.metrics());
});

test('PlainHistogram exports a series (metric values) without samples only if the series has no labels', async () => {
  const registry = new Registry();
  const plain = new PlainHistogram({ ...options, registry });
  plain.series();
  const labelled = new PlainHistogram({ ...options, name: 'gsq_other_seconds', labelNames: ['a'], registry });
  labelled.series('x');
  const { samples } = readExposition(await registry.metrics());
  assert.deepEqual(
    samples.map(({ name }) => name),
    [...Array(5).fill('gsq_test_seconds_bucket'), 'gsq_test_seconds_sum', 'gsq_test_seconds_count'],
  );
});
