import assert from 'node:assert/strict';
import { test } from 'node:test';
import { selectorsOf } from './selectors.ts';

test('selectorsOf returns each metric in a PromQL expression, with the labels in its selector', () => {
  assert.deepEqual(
    selectorsOf('sum by (code) (rate(a_total{x="{b}",y!~"c"}[$__rate_interval])) / on (code) b{z=""} > 1e3'),
    [
      { name: 'a_total', labels: ['x', 'y'] },
      { name: 'b', labels: ['z'] },
    ],
  );
});
