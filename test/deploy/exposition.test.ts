import assert from 'node:assert/strict';
import { test } from 'node:test';
import { namingFaults, readExposition } from './exposition.ts';

const metric = (type: string, ...lines: string[]) => `# HELP m m\n# TYPE m ${type}\n${lines.join('\n')}\n`;

test('the exposition reader reads labels, escapes, values and timestamps', () => {
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
  ['no line end', metric('gauge', 'm 1').trimEnd(), /no end/],
  ['no TYPE', '# HELP m m\nm 1\n', /no TYPE/],
  ['no HELP', '# TYPE m gauge\nm 1\n', /no HELP/],
  ['an empty HELP', '# HELP m \n# TYPE m gauge\nm 1\n', /empty HELP/],
  ['an unknown type', metric('meter', 'm 1'), /unknown type/],
  ['a second TYPE', metric('gauge', '# TYPE m gauge'), /two TYPE/],
  ['another name', metric('gauge', 'n 1'), /n has no TYPE/],
  [
    'a metric in two places',
    `${metric('gauge', 'm 1')}# HELP n n\n# TYPE n gauge\n# HELP m m\n`,
    /two places/,
  ],
  ['a series that comes twice', metric('gauge', 'm{a="1",b="2"} 1', 'm{b="2",a="1"} 1'), /comes twice/],
  ['a label that comes twice', metric('gauge', 'm{a="1",a="2"} 1'), /label a comes twice/],
  ['a label that is none', metric('gauge', 'm{a-b="1"} 1'), /no name of a label/],
  ['a label without end', metric('gauge', 'm{a="1} 1'), /cannot be read/],
  ['an unknown escape', metric('gauge', 'm{a="\\t"} 1'), /cannot be read/],
  ['a comma too many', metric('gauge', 'm{a="1",} 1'), /cannot be read/],
  ['a value that is none', metric('gauge', 'm undefined'), /no value/],
  ['no value', metric('gauge', 'm'), /no value/],
  ['a timestamp that is none', metric('gauge', 'm 1 2.5'), /no timestamp/],
  ['a counter below 0', metric('counter', 'm -1'), /below 0/],
  [
    'buckets out of order',
    buckets('m_bucket{le="2"} 1', 'm_bucket{le="1"} 1', 'm_bucket{le="+Inf"} 1', 'm_sum 1', 'm_count 1'),
    /out of order/,
  ],
  [
    'buckets that shrink',
    buckets('m_bucket{le="1"} 2', 'm_bucket{le="+Inf"} 1', 'm_sum 1', 'm_count 1'),
    /less than/,
  ],
  ['no bucket for all', buckets('m_bucket{le="1"} 1', 'm_sum 1', 'm_count 1'), /no bucket of \+Inf/],
  [
    'a count that is another',
    buckets('m_bucket{le="+Inf"} 1', 'm_sum 1', 'm_count 2'),
    /counts 2, in its buckets 1/,
  ],
  ['no sum', buckets('m_bucket{le="+Inf"} 1', 'm_count 1'), /no sum/],
  ['a count without buckets', buckets('m_sum 1', 'm_count 1'), /without buckets/],
];
for (const [what, text, message] of faults) {
  test(`the exposition reader refuses ${what}`, () => assert.throws(() => readExposition(text), { message }));
}

test('the exposition reader finds names that break conventions', () => {
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
