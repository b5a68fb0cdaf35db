import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DispatcherTiming } from '../../../core/schedule/dispatcher-timing.ts';
import { LEASE_MS, nextTurn, online, opened, Prober } from './dispatched.ts';

/** Timing of a dispatcher without real timers. The test triggers each timer event itself. */
class HandTiming implements DispatcherTiming {
  tick = (): void => {};
  stopped = false;
  calls: (() => void)[] = [];

  every(_ms: number, tick: () => void): () => void {
    this.tick = tick;
    return () => {
      this.stopped = true;
    };
  }

  soon(call: () => void): void {
    this.calls.push(call);
  }
}

test('watchLag reports the delay between the planned probe time of a server and its hand-over to a prober', async t => {
  const { clock, dispatcher } = await opened(t, 3);
  const lags: number[] = [];
  dispatcher.watchLag(seconds => lags.push(seconds));
  clock.at += 2_500;
  const prober = new Prober(1000);
  dispatcher.join(prober);
  await prober.until(3);
  assert.deepEqual(lags, [2.5, 2.5, 2.5]);
});

test('a prober at full capacity gets new leases (orders to probe) when its old leases have expired', {
  timeout: 10_000,
}, async t => {
  const { dispatcher, clock } = await opened(t, 3);
  const prober = new Prober(3);
  dispatcher.join(prober);
  await prober.until(3);
  clock.at += LEASE_MS;
  await prober.until(6);
  assert.equal(new Set(prober.ids).size, 6);
});

test('wake() makes the dispatcher give new servers to a prober at once, without waiting for its next tick', async t => {
  const { dispatcher, store } = await opened(t, 0);
  const prober = new Prober(10);
  dispatcher.join(prober);
  await nextTurn();
  assert.equal(prober.batches.length, 0, 'nothing due, nothing sent');
  dispatcher.close();
  await store.insertIfAbsent([{ gameId: 'csgo', address: '1.2.3.4:2000', insertedBy: 'tok_1' }]);
  dispatcher.wake();
  dispatcher.wake();
  await nextTurn();
  assert.equal(prober.leases.length, 1);
});

test('the dispatcher orders probes only in its timer callbacks, not directly in join() or wake()', async t => {
  const timing = new HandTiming();
  const { dispatcher, clock, store } = await opened(t, 1, 'csgo', timing);
  const prober = new Prober(10);
  dispatcher.join(prober);
  dispatcher.wake();
  await nextTurn();
  assert.deepEqual([prober.leases.length, timing.calls.length], [0, 1]);
  timing.calls.pop()?.();
  assert.equal(prober.leases.length, 1);
  dispatcher.report(prober, [online(prober.ids[0] ?? 0)]);
  timing.calls.length = 0;
  clock.at = store.getMany(['csgo 1.2.3.4:2000'])[0]?.nextProbeAt ?? 0;
  await nextTurn();
  assert.equal(prober.leases.length, 1);
  timing.tick();
  assert.equal(prober.leases.length, 2);
  dispatcher.close();
  assert.equal(timing.stopped, true);
});
