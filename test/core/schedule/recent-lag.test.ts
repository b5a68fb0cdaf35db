import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RecentLag } from '../../../core/schedule/recent-lag.ts';

test('RecentLag.worst() returns the longest delay of a probe in the last ten seconds', () => {
  const lag = new RecentLag();
  const start = Date.UTC(2026, 0, 1);
  assert.equal(lag.worst(start), 0);
  lag.note(3, start);
  lag.note(1, start);
  lag.note(2, start + 5_000);
  assert.equal(lag.worst(start + 9_999), 3);
  assert.equal(lag.worst(start + 10_000), 2);
  assert.equal(lag.worst(start + 15_000), 0);
  lag.note(4, start + 20_000);
  assert.equal(lag.worst(start + 3_600_000), 0);
  lag.note(5, start + 3_600_000);
  assert.equal(lag.worst(start), 0, 'a clock set back');
});
