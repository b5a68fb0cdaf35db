import assert from 'node:assert/strict';
import { type Check, keyOf, server } from './store-check.ts';

/** Defines the tests of inserts that every `ServerStore` must pass. */
export function checkInserts(check: Check): void {
  check(
    'an insert of a tracked server, or of the same server twice in one call, returns present for the duplicate',
    async ({ store }) => {
      assert.deepEqual(await store.insertIfAbsent([server(1), server(2), server(1)]), [
        'inserted',
        'inserted',
        'present',
      ]);
      assert.deepEqual(await store.insertIfAbsent([server(2), server(3), server(2, 'css')]), [
        'present',
        'inserted',
        'inserted',
      ]);
      assert.equal(store.stats().tracked, 4);
    },
  );

  check(
    'of concurrent inserts of one server exactly one returns inserted, and after each insert the server can be found',
    async ({ store }) => {
      const calls = Array.from({ length: 20 }, async () => {
        const [outcome] = await store.insertIfAbsent([server(1)]);
        assert.ok(store.getMany([keyOf(server(1))])[0], 'an insert resolved before the server was there');
        return outcome;
      });
      const outcomes = await Promise.all(calls);
      assert.equal(outcomes.filter(outcome => outcome === 'inserted').length, 1);
      assert.equal(outcomes.filter(outcome => outcome === 'present').length, 19);
      assert.deepEqual(store.stats(), { tracked: 1, pending: 1, online: 0, offline: 0, leased: 0 });
      assert.equal(store.leaseDue(10).length, 1);
    },
  );

  check(
    'a server whose insert resolved is pending and due after a kill of the process',
    async ({ store, afterKill }) => {
      await store.insertIfAbsent([server(1), server(2)]);
      const found = await afterKill();
      assert.equal(found.stats().pending, 2);
      assert.deepEqual(found.getMany([keyOf(server(1))]), store.getMany([keyOf(server(1))]));
      assert.equal(found.leaseDue(10).length, 2);
    },
  );

  check(
    'inserts beyond the limit return full, also concurrent ones, until a server is removed',
    async ({ store }) => {
      const [first, second] = await Promise.all([
        store.insertIfAbsent([server(1), server(2)]),
        store.insertIfAbsent([server(3), server(4), server(1)]),
      ]);
      assert.deepEqual(first, ['inserted', 'inserted']);
      assert.deepEqual(second, ['inserted', 'full', 'present']);
      assert.equal(store.getMany([keyOf(server(4))])[0], undefined);
      await store.remove([keyOf(server(1))]);
      assert.deepEqual(await store.insertIfAbsent([server(4)]), ['inserted']);
    },
    3,
  );
}
