import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { chartData, isolatedIndexes } from '../../../../gateway/page/browser/parts/chart-data.ts';

describe('the data of the interactive chart', () => {
  it('has a time for each step, and null for unknown numbers', () => {
    const sample = {
      at: '1970-01-01T00:05:00.000Z',
      players_mean: 2,
      players_max: 3,
      online_share: 1,
      known_share: 1,
    };
    const range = { from: '1970-01-01T00:00:00.000Z', to: '1970-01-01T00:10:00.000Z' };
    assert.deepEqual(chartData({ ...range, step_seconds: 300, samples: [null, sample] }), [
      [0, 300],
      [null, 3],
      [null, 2],
    ]);
  });

  it('draws a known number as a point if neither the number before nor the number after is known', () => {
    assert.deepEqual(isolatedIndexes([null, 4, null, 1, 2, null, 0]), [1, 6]);
    assert.deepEqual(isolatedIndexes([7]), [0]);
    assert.deepEqual(isolatedIndexes([1, 2, 3]), []);
  });
});
