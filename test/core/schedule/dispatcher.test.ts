import assert from 'node:assert/strict';
import { test } from 'node:test';
import { payloadOf } from '../payload-of.ts';
import { nextTurn, online, opened, Prober } from './dispatched.ts';

test('a prober that joins gets leases (orders to probe) of the servers that are due, in batches of 200', async t => {
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

test('a lease (order to probe a server) contains the host, the port, the protocol and the query ports of the server', async t => {
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

test('a lease (order to probe a server) contains a timeout if the round-trip time to the host is known', async t => {
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

test('a core gives no leases (orders to probe) to probers while it is not sure of its cluster membership', async t => {
  const { dispatcher, store, gate } = await opened(t, 5);
  gate.canLease = false;
  const prober = new Prober(10);
  dispatcher.join(prober);
  await nextTurn();
  assert.deepEqual([prober.leases.length, store.stats().leased], [0, 0]);
  gate.canLease = true;
  dispatcher.wake();
  await prober.until(5);
});

test('a prober never has more leases (orders to probe) than its capacity, and gets new leases after its reports', async t => {
  const { dispatcher } = await opened(t, 30);
  const prober = new Prober(10);
  dispatcher.join(prober);
  await prober.until(10);
  dispatcher.wake();
  await nextTurn();
  assert.equal(prober.leases.length, 10);
  dispatcher.report(prober, prober.ids.slice(0, 3).map(online));
  await prober.until(13);
  await nextTurn();
  assert.equal(prober.leases.length, 13);
});

test('a prober that does not read its stream gets at most one batch of leases (orders to probe)', async t => {
  const { dispatcher } = await opened(t, 450);
  const prober = new Prober(1000);
  prober.flowing = false;
  dispatcher.join(prober);
  await prober.until(200);
  prober.capacity = 0;
  dispatcher.wake();
  await nextTurn();
  assert.equal(prober.batches.length, 1);
  prober.capacity = 1000;
  prober.flowing = true;
  await prober.until(450);
});

test('when a prober leaves, the dispatcher immediately releases its leases (orders to probe), and discards its later reports', async t => {
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

test('no prober gets an order to probe a server whose game is no longer in the catalog', async t => {
  const { dispatcher, store } = await opened(t, 1, 'gone');
  const prober = new Prober(10);
  const before = store.getMany(['gone 1.2.3.4:2000'])[0];
  dispatcher.join(prober);
  await nextTurn();
  const after = store.getMany(['gone 1.2.3.4:2000'])[0];
  assert.deepEqual([after?.status, after?.lastProbeAt, store.stats().leased], ['pending', 0, 0]);
  assert.equal(after?.nextProbeAt, (before?.nextProbeAt ?? 0) + 15_000);
  assert.deepEqual(prober.leases, []);
});
