import assert from 'node:assert/strict';
import { leaseRecords } from '../lease-records.ts';
import { type Check, keyOf, leaseOne, online, server } from './store-check.ts';

/** Defines the tests of removals that every `ServerStore` must pass. */
export function checkRemovals(check: Check): void {
  check(
    'remove() deletes servers durably and returns for each key whether its server existed',
    async ({ store, clock, afterKill }) => {
      await store.insertIfAbsent([server(1), server(2), server(3)]);
      const [lease] = leaseRecords(store, 1);
      assert.ok(lease);
      store.apply(lease.id, online(lease.server, clock.at));
      const keys = [1, 9, 2, 1].map(n => keyOf(server(n)));
      assert.deepEqual(await store.remove(keys), [true, false, true, false]);
      assert.deepEqual(store.stats(), { tracked: 1, pending: 1, online: 0, offline: 0, leased: 0 });
      assert.equal(leaseOne(store).server.address, '1.2.3.3:27015', 'a removed server is not probed');
      const found = await afterKill();
      assert.deepEqual(
        found.getMany([1, 2, 3].map(n => keyOf(server(n)))).map(record => record !== undefined),
        [false, false, true],
      );
    },
  );

  check('a report for a removed server is refused', async ({ store, clock }) => {
    await store.insertIfAbsent([server(1)]);
    const lease = leaseOne(store);
    await store.remove([lease.server.key]);
    assert.equal(store.leased(lease.id), undefined);
    assert.equal(store.apply(lease.id, online(lease.server, clock.at)), false);
    assert.deepEqual(store.getMany([lease.server.key]), [undefined]);
    assert.deepEqual(store.stats(), { tracked: 0, pending: 0, online: 0, offline: 0, leased: 0 });
  });

  check(
    'a server that is removed during its lease and inserted again gets exactly one new lease',
    async ({ store, clock }) => {
      await store.insertIfAbsent([server(1)]);
      const old = leaseOne(store);
      await store.remove([old.server.key]);
      clock.at += 1000;
      assert.deepEqual(await store.insertIfAbsent([server(1)]), ['inserted']);
      const lease = leaseOne(store);
      assert.equal(lease.server.insertedAt, clock.at);
      assert.equal(store.apply(old.id, online(old.server, clock.at)), false, 'the report of the first life');
      store.release([old.id]);
      assert.deepEqual(store.leaseDue(10), []);
      assert.equal(store.apply(lease.id, online(lease.server, clock.at)), true);
      assert.deepEqual(store.stats(), { tracked: 1, pending: 0, online: 1, offline: 0, leased: 0 });
    },
  );

  check(
    'a server that is removed before its first probe and inserted again is leased only once',
    async ({ store, clock }) => {
      await store.insertIfAbsent([server(1)]);
      await store.remove([keyOf(server(1))]);
      await store.insertIfAbsent([server(1)]);
      const [lease] = leaseRecords(store, 1);
      assert.ok(lease);
      store.apply(lease.id, online(lease.server, clock.at));
      clock.at += 1000;
      assert.deepEqual(store.leaseDue(10), []);
    },
  );
}
