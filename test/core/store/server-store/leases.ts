import assert from 'node:assert/strict';
import { leaseRecords, ownCopy } from '../lease-records.ts';
import { type Check, keyOf, LEASE_MS, leaseOne, online, server } from './store-check.ts';

/** Defines the tests of leases and reports that every `ServerStore` must pass. */
export function checkLeases(check: Check): void {
  check('a server is not leased a second time while its lease lasts', async ({ store, clock }) => {
    await store.insertIfAbsent([server(1), server(2)]);
    const [first] = leaseRecords(store, 1);
    const [second] = leaseRecords(store, 10);
    assert.ok(first && second);
    assert.notEqual(first.server.key, second.server.key);
    assert.notEqual(first.id, second.id);
    clock.at += LEASE_MS - 1;
    assert.deepEqual(store.leaseDue(10), []);
    const leased = store.leased(first.id);
    assert.deepEqual(leased && ownCopy(leased), first.server);
    assert.equal(store.stats().leased, 2);
  });

  check(
    'a server with an expired lease is leased again, and a report for the old lease is refused',
    async ({ store, clock }) => {
      await store.insertIfAbsent([server(1)]);
      const late = leaseOne(store);
      clock.at += LEASE_MS;
      assert.equal(store.leased(late.id), undefined);
      assert.equal(store.apply(late.id, online(late.server, clock.at)), false);
      const again = leaseOne(store);
      assert.notEqual(again.id, late.id);
      assert.equal(store.apply(late.id, online(late.server, clock.at)), false);
      assert.equal(store.stats().pending, 1);
      assert.equal(store.apply(again.id, online(again.server, clock.at)), true);
      assert.equal(store.stats().online, 1);
    },
  );

  check(
    'a server with a released lease is due immediately, and a second release has no effect',
    async ({ store, clock }) => {
      await store.insertIfAbsent([server(1)]);
      const lease = leaseOne(store);
      store.release([lease.id, lease.id, lease.id + 1000]);
      assert.equal(store.leased(lease.id), undefined);
      assert.equal(store.apply(lease.id, online(lease.server, clock.at)), false);
      leaseOne(store);
    },
  );

  check(
    'if the clock was set back, a server with a released lease is due at its original time',
    async ({ store, clock }) => {
      await store.insertIfAbsent([server(1)]);
      const lease = leaseOne(store);
      const insertedAt = clock.at;
      clock.at -= 10_000;
      store.release([lease.id]);
      assert.deepEqual(store.leaseDue(10), []);
      clock.at = insertedAt;
      leaseOne(store);
    },
  );

  check('apply() stores the new record and ends the lease', async ({ store, clock }) => {
    await store.insertIfAbsent([server(1)]);
    const lease = leaseOne(store);
    clock.at += 100;
    const next = online(lease.server, clock.at);
    assert.equal(store.apply(lease.id, next), true);
    assert.deepEqual(store.getMany([next.key]), [next]);
    assert.deepEqual(store.stats(), { tracked: 1, pending: 0, online: 1, offline: 0, leased: 0 });
    assert.equal(store.leased(lease.id), undefined);
    assert.equal(store.apply(lease.id, next), false, 'a lease reports once');

    clock.at = next.nextProbeAt - 1000;
    assert.deepEqual(store.leaseDue(10), [], 'not due yet');
    clock.at = next.nextProbeAt;
    assert.deepEqual(leaseOne(store).server, next);
  });

  check('hasten() makes a server due at the given earlier time', async ({ store, clock }) => {
    await store.insertIfAbsent([server(1), server(2)]);
    for (const lease of leaseRecords(store, 10)) store.apply(lease.id, online(lease.server, clock.at));
    const before = store.getMany([keyOf(server(1))])[0];
    assert.ok(before);
    store.hasten(before.key, clock.at + 1000);
    assert.deepEqual(store.getMany([before.key]), [{ ...before, nextProbeAt: clock.at + 1000 }]);
    assert.deepEqual(store.leaseDue(10), []);
    clock.at += 1000;
    const lease = leaseOne(store);
    assert.equal(lease.server.key, before.key);
    const next = online(lease.server, clock.at);
    assert.equal(store.apply(lease.id, next), true, 'and its report is taken');
    clock.at = before.nextProbeAt;
    if (next.nextProbeAt > clock.at)
      assert.ok(!leaseRecords(store, 10).some(({ server }) => server.key === before.key));
  });

  check('hasten() never delays a server, and ignores leased and unknown servers', async opened => {
    const { store, clock } = opened;
    await store.insertIfAbsent([server(1)]);
    store.hasten(keyOf(server(1)), clock.at + 60_000);
    const lease = leaseOne(store);
    store.hasten(keyOf(server(1)), clock.at - 60_000);
    store.hasten(keyOf(server(2)), clock.at);
    assert.deepEqual(store.leaseDue(10), []);
    const leased = store.leased(lease.id);
    assert.deepEqual(leased && ownCopy(leased), lease.server);
    const next = online(lease.server, clock.at);
    assert.equal(store.apply(lease.id, next), true);
    clock.at = next.nextProbeAt - 1000;
    assert.deepEqual(store.leaseDue(10), []);
    clock.at = next.nextProbeAt;
    leaseOne(store);
  });

  check(
    'leaseDue() leases the servers with the earliest due time first, and no more than its limit',
    async ({ store, clock }) => {
      await store.insertIfAbsent([server(1)]);
      clock.at += 1000;
      await store.insertIfAbsent([server(2), server(3)]);
      const leases = leaseRecords(store, 2);
      assert.equal(leases.length, 2);
      assert.equal(leases[0]?.server.address, '1.2.3.1:27015');
      assert.equal(store.leaseDue(2).length, 1);
      assert.equal(store.leaseDue(2).length, 0);
    },
  );
}
