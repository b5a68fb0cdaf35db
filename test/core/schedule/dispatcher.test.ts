import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DispatcherTiming } from '../../../core/schedule/dispatcher-timing.ts';
import type { LeaseReport } from '../../../core/schedule/lease-report.ts';
import { payloadOf } from '../payload-of.ts';
import { LEASE_MS, online, opened, Prober, turn } from './dispatched.ts';

test('a prober that joins gets leases of the due servers in batches of 200', async t => {
  const { dispatcher, store } = await opened(t, 450);
  const prober = new Prober(1000);
  dispatcher.join(prober);
  assert.equal(dispatcher.probers, 1);
  await prober.until(450);
  assert.deepEqual(
    prober.batches.map(batch => batch.length),
    [200, 200, 50],
  );
  assert.equal(new Set(prober.ids).size, 450);
  assert.equal(store.stats().leased, 450);
});

test('watchLag reports the lag of each lease, which is the time since the server became due', async t => {
  const { clock, dispatcher } = await opened(t, 3);
  const lags: number[] = [];
  dispatcher.watchLag(seconds => lags.push(seconds));
  clock.at += 2_500;
  const prober = new Prober(1000);
  dispatcher.join(prober);
  await prober.until(3);
  assert.deepEqual(lags, [2.5, 2.5, 2.5]);
});

test('a lease contains the host, the port, the protocol and the query ports of a server', async t => {
  const { dispatcher } = await opened(t, 1);
  const prober = new Prober(10);
  dispatcher.join(prober);
  await prober.until(1);
  const [lease] = prober.leases;
  assert.deepEqual(lease, {
    leaseId: lease?.leaseId,
    gameId: 'csgo',
    host: '1.2.3.4',
    port: 2000,
    protocol: 'a2s',
    gamedigId: 'csgo',
    queryPorts: [2000],
    confirm: false,
    timeoutMs: 0,
    urgent: false,
  });
});

test('a lease contains a timeout as soon as the round-trip time to the host is known', async t => {
  const { dispatcher, store } = await opened(t, 1);
  const prober = new Prober(10);
  dispatcher.join(prober);
  await prober.until(1);
  dispatcher.report(prober, [{ ...online(prober.ids[0] ?? 0), payload: payloadOf({ ping: 300 }) }]);
  await store.insertIfAbsent([{ gameId: 'csgo', address: '1.2.3.4:3000', insertedBy: 'tok_1' }]);
  dispatcher.wake();
  await prober.until(2);
  assert.deepEqual([prober.leases[0]?.timeoutMs, prober.leases[1]?.timeoutMs], [0, 1_500]);
});

test('a prober never holds more leases than its capacity, and gets new leases after its reports', async t => {
  const { dispatcher } = await opened(t, 30);
  const prober = new Prober(10);
  dispatcher.join(prober);
  await prober.until(10);
  dispatcher.wake();
  await turn();
  assert.equal(prober.leases.length, 10);
  dispatcher.report(prober, prober.ids.slice(0, 3).map(online));
  await prober.until(13);
  await turn();
  assert.equal(prober.leases.length, 13);
});

test('a prober that does not read its stream gets at most one batch of leases', async t => {
  const { dispatcher } = await opened(t, 450);
  const prober = new Prober(1000);
  prober.flowing = false;
  dispatcher.join(prober);
  await prober.until(200);
  prober.capacity = 0;
  dispatcher.wake();
  await turn();
  assert.equal(prober.batches.length, 1);
  prober.capacity = 1000;
  prober.flowing = true;
  await prober.until(450);
});

test('several probers share the due servers, and no server is leased twice', async t => {
  const { dispatcher } = await opened(t, 500);
  const probers = [new Prober(250), new Prober(250)];
  for (const prober of probers) dispatcher.join(prober);
  await Promise.all(probers.map(prober => prober.until(250)));
  assert.equal(new Set(probers.flatMap(prober => prober.ids)).size, 500);
});

test('when a prober leaves, its leases are released immediately, and its later reports are dropped', async t => {
  const { dispatcher, store } = await opened(t, 5);
  const first = new Prober(10);
  dispatcher.join(first);
  await first.until(5);
  dispatcher.leave(first);
  dispatcher.leave(first);
  assert.deepEqual([dispatcher.probers, store.stats().leased], [0, 0]);
  const second = new Prober(10);
  dispatcher.join(second);
  await second.until(5);
  dispatcher.report(first, second.ids.map(online));
  assert.equal(store.stats().online, 0, 'a report after leaving');
});

test('when the leases of a prober at full capacity expire, the prober gets new leases', {
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

test('wake() leases new servers without waiting for the next tick', async t => {
  const { dispatcher, store } = await opened(t, 0);
  const prober = new Prober(10);
  dispatcher.join(prober);
  await turn();
  assert.equal(prober.batches.length, 0, 'nothing due, nothing sent');
  dispatcher.close();
  await store.insertIfAbsent([{ gameId: 'csgo', address: '1.2.3.4:2000', insertedBy: 'tok_1' }]);
  dispatcher.wake();
  dispatcher.wake();
  await turn();
  assert.equal(prober.leases.length, 1);
});

test('if the game of a server has left the catalog, the server is postponed and not leased', async t => {
  const { dispatcher, store } = await opened(t, 1, 'gone');
  const prober = new Prober(10);
  const before = store.getMany(['gone 1.2.3.4:2000'])[0];
  dispatcher.join(prober);
  await turn();
  const after = store.getMany(['gone 1.2.3.4:2000'])[0];
  assert.deepEqual([after?.status, after?.lastProbeAt, store.stats().leased], ['pending', 0, 0]);
  assert.equal(after?.nextProbeAt, (before?.nextProbeAt ?? 0) + 15_000);
  assert.deepEqual(prober.leases, []);
});

/** A dispatcher timing whose events the test triggers. */
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

test('if a simulation passes its own timing, the dispatcher starts no timers', async t => {
  const timing = new HandTiming();
  const { dispatcher, clock, store } = await opened(t, 1, 'csgo', timing);
  const prober = new Prober(10);
  dispatcher.join(prober);
  dispatcher.wake();
  await turn();
  assert.deepEqual([prober.leases.length, timing.calls.length], [0, 1]);
  timing.calls.pop()?.();
  assert.equal(prober.leases.length, 1);
  dispatcher.report(prober, [online(prober.ids[0] ?? 0)]);
  timing.calls.length = 0;
  clock.at = store.getMany(['csgo 1.2.3.4:2000'])[0]?.nextProbeAt ?? 0;
  await turn();
  assert.equal(prober.leases.length, 1);
  timing.tick();
  assert.equal(prober.leases.length, 2);
  dispatcher.close();
  assert.equal(timing.stopped, true);
});

test('if only one server is due at a time, the probers get its leases in turn', async t => {
  const { clock, dispatcher } = await opened(t, 1);
  const probers = [new Prober(1_000), new Prober(1_000)];
  for (const prober of probers) dispatcher.join(prober);
  for (let minute = 0; minute < 6; minute++) {
    await turn();
    for (const prober of probers) dispatcher.report(prober, prober.ids.map(online));
    clock.at += 120_000;
  }
  assert.deepEqual(
    probers.map(({ leases }) => leases.length),
    [3, 3],
  );
});

for (const turns of [1, 2])
  test(`a prober whose uplink is out gets only leases beyond the capacity of other probers, ${turns} turns of the event loop later`, async t => {
    const { clock, dispatcher } = await opened(t, 30);
    const [out, good] = [new Prober(30), new Prober(10)];
    const silent = (leaseId: number): LeaseReport => ({
      leaseId,
      outcome: 'PROBE_OUTCOME_NO_REPLY',
      payload: null,
      queryPort: 0,
      signals: {
        address: `9.${leaseId % 250}.9.9`,
        packetsSent: 1,
        packetsLost: 1,
        packetsRejected: 0,
        challenged: false,
      },
    });
    dispatcher.join(out);
    await out.until(30);
    dispatcher.report(out, out.ids.map(silent));
    assert.equal(dispatcher.outage, true);
    dispatcher.join(good);
    for (let i = 1; i < turns; i++) {
      dispatcher.wake();
      await turn();
    }
    clock.at += 180_000;
    dispatcher.wake();
    await turn();
    assert.deepEqual([good.leases.length, out.leases.length], [10, 50]);
  });

test('all servers of one server directory are leased to the one prober that queries this directory', async t => {
  const { clock, dispatcher } = await opened(t, 1, 'asa');
  const [owner, other] = [new Prober(10), new Prober(10)];
  clock.at += 63_000;
  dispatcher.join(owner);
  await owner.until(1);
  dispatcher.join(other);
  for (let minute = 0; minute < 4; minute++) {
    dispatcher.report(owner, owner.ids.map(online));
    clock.at += 120_000;
    dispatcher.wake();
    await turn();
  }
  assert.deepEqual([owner.leases.length, other.leases.length], [5, 0]);
});
