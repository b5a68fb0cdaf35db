import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { counted, percent } from '../../../../gateway/page/views/figures.ts';

describe('a figure on a page', () => {
  it('shows a share of time with two digits, rounded down', () => {
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

  it('has the plural of its noun unless the number is 1', () => {
    assert.deepEqual(
      [0, 1, 2, 1_234].map(value => counted(value, 'player')),
      ['0 players', '1 player', '2 players', '1,234 players'],
    );
  });
});
