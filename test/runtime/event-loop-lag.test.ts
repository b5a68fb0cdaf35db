import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EventLoopLag } from '../../runtime/event-loop-lag.ts';
import { until } from '../system/until.ts';

test('EventLoopLag reports the lag of a blocked event loop until a measurement window without lag has ended', async () => {
  const loop = new EventLoopLag(100);
  // Waits for the first tick, because the measurement starts with it.
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
