import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EventLoopLag } from '../../runtime/event-loop-lag.ts';
import { until } from '../system/until.ts';

test('EventLoopLag reports a high lag after the event loop was blocked, and a low lag after a time without blocking', async () => {
  const loop = new EventLoopLag(100);
  // Waits for the first measurement. EventLoopLag cannot notice a lag that begins before this measurement.
  await until(
    'a tick',
    () => loop.lags.max,
    lag => lag > 0,
  );
  const blockedFrom = performance.now();
  while (performance.now() - blockedFrom < 300);
  const seen = await until(
    'the lag',
    () => loop.lags.max,
    lag => lag > 0.2,
  );
  assert.equal(loop.lags.max, seen);
  await until(
    'a window without it',
    () => loop.lags.max,
    lag => lag < 0.2,
  );
});
