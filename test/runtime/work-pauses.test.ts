import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WorkPauses } from '../../runtime/work-pauses.ts';

test('a thread pauses after each half millisecond of work, counted from its start and from its last pause', () => {
  let now = 0;
  const sleptAt: number[] = [];
  const pauses = new WorkPauses(
    () => now,
    ms => {
      sleptAt.push(now);
      now += Math.max(ms, 3);
    },
  );
  now = 100;
  pauses.startWork();
  for (let piece = 0; piece < 10; piece++) {
    now += 0.25;
    pauses.pauseIfDue();
  }
  assert.deepEqual(sleptAt, [100.5, 104, 107.5, 111, 114.5]);
});
