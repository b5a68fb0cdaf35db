import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readExposition } from './exposition.ts';
import { namingFaults } from './naming-faults.ts';

const metric = (type: string, ...lines: string[]) => `# HELP m m\n# TYPE m ${type}\n${lines.join('\n')}\n`;

test('the metrics parser reads labels, escapes, values and timestamps of Prometheus text', () => {
  const { types, samples } = readExposition(
    `${metric('gauge', 'm{a="x\\\\y\\"z\\n",b=""} -1.5e3 1234', 'm +Inf', 'm{a="}"} NaN')}# a comment\n`,
  );
  assert.deepEqual([...types], [['m', 'gauge']]);
  assert.deepEqual(
    samples.map(({ labels, value }) => [[...labels], value]),
    [
      [
        [
          ['a', 'x\\y"z\n'],
          ['b', ''],
        ],
        -1500,
      ],
      [[], Number.POSITIVE_INFINITY],
      [[['a', '}']], Number.NaN],
    ],
  );
});

const buckets = (...lines: string[]) => metric('histogram', ...lines);

const faults: [what: string, text: string, message: RegExp][] = [
  ['a text without a final newline', metric('gauge', 'm 1').trimEnd(), /no end/],
  ['a metric without a TYPE line', '# HELP m m\nm 1\n', /no TYPE/],
  ['a metric without a HELP line', '# TYPE m gauge\nm 1\n', /no HELP/],
  ['an empty HELP', '# HELP m \n# TYPE m gauge\nm 1\n', /empty HELP/],
  ['an unknown metric type', metric('meter', 'm 1'), /unknown type/],
  ['a second TYPE line for a metric', metric('gauge', '# TYPE m gauge'), /two TYPE/],
  ['a sample whose name has no TYPE line', metric('gauge', 'n 1'), /n has no TYPE/],
  [
    'a metric whose lines are not together',
    `${metric('gauge', 'm 1')}# HELP n n\n# TYPE n gauge\n# HELP m m\n`,
    /two places/,
  ],
  ['a repeated series', metric('gauge', 'm{a="1",b="2"} 1', 'm{b="2",a="1"} 1'), /comes twice/],
  ['a repeated label', metric('gauge', 'm{a="1",a="2"} 1'), /label a comes twice/],
  ['an invalid label name', metric('gauge', 'm{a-b="1"} 1'), /no name of a label/],
  ['a label without a closing quote', metric('gauge', 'm{a="1} 1'), /cannot be read/],
  ['an unknown escape sequence', metric('gauge', 'm{a="\\t"} 1'), /cannot be read/],
  ['an extra comma after a label', metric('gauge', 'm{a="1",} 1'), /cannot be read/],
  ['an invalid value', metric('gauge', 'm undefined'), /no value/],
  ['a sample without a value', metric('gauge', 'm'), /no value/],
  ['an invalid timestamp', metric('gauge', 'm 1 2.5'), /no timestamp/],
  ['a counter below 0', metric('counter', 'm -1'), /below 0/],
  [
    'buckets out of order',
    buckets('m_bucket{le="2"} 1', 'm_bucket{le="1"} 1', 'm_bucket{le="+Inf"} 1', 'm_sum 1', 'm_count 1'),
    /out of order/,
  ],
  [
    'buckets with decreasing counts',
    buckets('m_bucket{le="1"} 2', 'm_bucket{le="+Inf"} 1', 'm_sum 1', 'm_count 1'),
    /less than/,
  ],
  ['buckets without +Inf', buckets('m_bucket{le="1"} 1', 'm_sum 1', 'm_count 1'), /no bucket of \+Inf/],
  [
    'a count that differs from the +Inf bucket',
    buckets('m_bucket{le="+Inf"} 1', 'm_sum 1', 'm_count 2'),
    /counts 2, in its buckets 1/,
  ],
  ['a histogram without a sum', buckets('m_bucket{le="+Inf"} 1', 'm_count 1'), /no sum/],
  ['a count without buckets', buckets('m_sum 1', 'm_count 1'), /without buckets/],
];
for (const [what, text, message] of faults) {
  test(`the metrics parser rejects ${what}`, () => assert.throws(() => readExposition(text), { message }));
}

test('the check of metric names finds names that break the conventions of Prometheus', () => {
  const named = (name: string, type: string) =>
    namingFaults(readExposition(`# HELP ${name} x\n# TYPE ${name} ${type}\n`));
  assert.deepEqual(named('gsq_things_total', 'counter'), []);
  assert.deepEqual(named('gsq_things_total', 'gauge').length, 1);
  assert.deepEqual(named('gsq_things', 'counter').length, 1);
  assert.deepEqual(named('gsq_lag_ms', 'gauge').length, 1);
  assert.deepEqual(named('gsq_lag', 'histogram').length, 1);
  assert.deepEqual(named('other_lag_ms', 'gauge'), []);
  assert.deepEqual(named('other_things_total', 'gauge').length, 1);
  assert.equal(
    namingFaults(readExposition('# HELP gsq_m m\n# TYPE gsq_m gauge\ngsq_m{Game="x"} 1\n')).length,
    1,
  );
});
