import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LEASE_MS, online, opened, Prober } from './dispatched.ts';

test('after an unanswered probe, the next order to the prober has the flag `confirm` (use a new socket)', async t => {
  const { dispatcher, clock, store } = await opened(t, 1);
  const prober = new Prober(10);
  dispatcher.join(prober);
  await prober.until(1);
  dispatcher.report(prober, [online(prober.ids[0] ?? 0)]);
  clock.at = store.getMany(['csgo 1.2.3.4:2000'])[0]?.nextProbeAt ?? 0;
  await prober.until(2);
  assert.deepEqual([prober.leases[1]?.queryPorts, prober.leases[1]?.confirm], [[27016], false]);
  const silent = { outcome: 'PROBE_OUTCOME_NO_REPLY', payload: null, queryPort: 0 } as const;
  dispatcher.report(prober, [{ leaseId: prober.ids[1] ?? 0, ...silent }]);
  clock.at += 1_250;
  await prober.until(3);
  assert.deepEqual([prober.leases[2]?.queryPorts, prober.leases[2]?.confirm], [[27016], true]);
});

test('the dispatcher records and publishes a report, and discards a second report for the same lease (order to probe)', async t => {
  const { dispatcher, changes, store } = await opened(t, 1);
  const heard: string[] = [];
  changes.follow(['csgo 1.2.3.4:2000'], server => heard.push(server.status));
  const prober = new Prober(10);
  dispatcher.join(prober);
  await prober.until(1);
  dispatcher.report(prober, [online(prober.ids[0] ?? 0)]);
  assert.deepEqual(heard, ['online']);
  assert.equal(store.stats().online, 1);
  dispatcher.report(prober, [online(prober.ids[0] ?? 0)]);
  assert.deepEqual(heard, ['online'], 'a second report of one lease');
});

test('a postponed probe changes only two values of the server record: its version number, and the time of the next probe', async t => {
  const { dispatcher, changes, clock, store } = await opened(t, 1);
  const key = 'csgo 1.2.3.4:2000';
  const prober = new Prober(10);
  dispatcher.join(prober);
  await prober.until(1);
  dispatcher.report(prober, [online(prober.ids[0] ?? 0)]);
  const before = store.getMany([key])[0];
  assert.ok(before);
  clock.at = before.nextProbeAt;
  await prober.until(2);
  const heard: string[] = [];
  changes.follow([key], server => heard.push(server.status));
  const heldBack = { outcome: 'PROBE_OUTCOME_HELD_BACK', payload: null, queryPort: 0 } as const;
  dispatcher.report(prober, [{ ...heldBack, leaseId: prober.ids[1] ?? 0, retryAfterMs: 1_234 }]);
  const { nextProbeAt, version, ...rest } = store.getMany([key])[0] ?? before;
  const { nextProbeAt: _, version: earlier, ...same } = before;
  assert.deepEqual([rest, nextProbeAt - clock.at, version], [same, 1_234, earlier + 1]);
  assert.deepEqual([heard, store.stats().leased], [[], 0]);
  clock.at += 1_234;
  await prober.until(3);
  for (const [i, retryAfterMs, waits] of [
    [2, 0, 50],
    [3, 0xffffffff, 60_000],
  ] as const) {
    dispatcher.report(prober, [{ ...heldBack, leaseId: prober.ids[i] ?? 0, retryAfterMs }]);
    assert.equal((store.getMany([key])[0]?.nextProbeAt ?? 0) - clock.at, waits);
    clock.at += waits;
    await prober.until(i + 2);
  }
});

test('the dispatcher discards a report if its lease (order to probe) belongs to a different prober', async t => {
  const { dispatcher, store } = await opened(t, 1);
  const [holder, other] = [new Prober(10), new Prober(10)];
  dispatcher.join(holder);
  await holder.until(1);
  dispatcher.join(other);
  dispatcher.report(other, [online(holder.ids[0] ?? 0), online(12345)]);
  assert.equal(store.stats().pending, 1);
});

test('the dispatcher discards a report if its lease (order to probe) has expired', async t => {
  const { dispatcher, store, clock } = await opened(t, 1);
  const prober = new Prober(10);
  dispatcher.join(prober);
  await prober.until(1);
  clock.at += LEASE_MS;
  dispatcher.report(prober, [online(prober.ids[0] ?? 0)]);
  assert.equal(store.stats().pending, 1);
  await prober.until(2);
  dispatcher.report(prober, [online(prober.ids[1] ?? 0)]);
  assert.equal(store.stats().online, 1);
});

test('the dispatcher counts reports by outcome, but reports without a lease (order to probe) have their own counter', async t => {
  const { dispatcher } = await opened(t, 2);
  const prober = new Prober(10);
  dispatcher.join(prober);
  await prober.until(2);
  const [first = 0, second = 0] = prober.ids;
  const silent = { outcome: 'PROBE_OUTCOME_NO_REPLY', payload: null, queryPort: 0 } as const;
  dispatcher.report(prober, [
    online(first),
    { leaseId: second, ...silent },
    online(first),
    online(second + 1),
  ]);
  assert.deepEqual(Object.fromEntries(dispatcher.reports), {
    PROBE_OUTCOME_ONLINE: 1,
    PROBE_OUTCOME_NO_REPLY: 1,
  });
  assert.equal(dispatcher.unleased, 2);
});
