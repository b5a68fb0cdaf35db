import assert from 'node:assert/strict';
import { test } from 'node:test';
import { percent } from '../../../../gateway/page/views/server-past.ts';

test('percent shows a share of time with two digits, rounded down', () => {
  assert.deepEqual([0, 0.000_01, 0.29, 0.57, 0.999_949, 1 - 1 / (365 * 86_400), 1, null].map(percent), [
    '0 %',
    '0 %',
    '29.00 %',
    '57.00 %',
    '99.99 %',
    '99.99 %',
    '100 %',
    'unknown',
  ]);
});
