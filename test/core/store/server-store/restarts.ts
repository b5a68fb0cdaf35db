import assert from 'node:assert/strict';
import type { ServerRecord } from '../../../../core/servers/server-record.ts';
import { leaseRecords } from '../lease-records.ts';
import {
  type Check,
  failed,
  INTERVAL_MS,
  keyOf,
  leaseOne,
  online,
  restarted,
  server,
} from './store-check.ts';

/** Defines the tests of restarts and kills that every `ServerStore` must pass. */
export function checkRestarts(check: Check): void {
  check('an applied record has the same data, open hour and due time after a restart', async opened => {
    const { store, clock, afterRestart } = opened;
    await store.insertIfAbsent([server(1), server(2)]);
    for (const lease of leaseRecords(store, 10)) {
      const become = lease.server.address === '1.2.3.1:27015' ? online : failed;
      store.apply(lease.id, { ...become(lease.server, clock.at), openHour: Buffer.from('samples') });
    }
    const before = store.getMany([keyOf(server(1)), keyOf(server(2))]);
    const found = await afterRestart();
    assert.deepEqual(found.getMany([keyOf(server(1)), keyOf(server(2))]), before.map(restarted));
    assert.deepEqual(found.stats(), { tracked: 2, pending: 0, online: 1, offline: 1, leased: 0 });
    const dueAt = (record?: ServerRecord): number => record?.nextProbeAt ?? 0;
    const [first] = [...before].sort((a, b) => dueAt(a) - dueAt(b));
    clock.at = dueAt(first) - 1000;
    assert.deepEqual(found.leaseDue(10), []);
    clock.at = dueAt(first);
    assert.equal(leaseOne(found).server.key, first?.key);
  });

  check(
    'a server that was listed publicly is still listed after a kill, and while probes change its record',
    async opened => {
      const { store, clock, afterKill } = opened;
      await store.insertIfAbsent([server(1), server(2)]);
      const [key, other] = [keyOf(server(1)), keyOf(server(2))];
      const [first, ...more] = leaseRecords(store, 10);
      assert.deepEqual(await store.listPublicly([key, other, keyOf(server(3))], true), [true, true, false]);
      assert.deepEqual(await store.listPublicly([other], false), [true]);
      for (const { id } of [first, ...more].flatMap(lease => lease ?? [])) {
        const current = store.leased(id);
        if (current) store.apply(id, online(current, clock.at));
      }
      const found = await afterKill();
      assert.deepEqual(
        found.getMany([key, other]).map(record => record?.isPublic),
        [true, false],
      );
    },
  );

  check('the newest record of a server that stays online survives a restart', async opened => {
    const { store, clock, afterRestart } = opened;
    await store.insertIfAbsent([server(1), server(2)]);
    for (let probe = 0; probe < 3; probe++) {
      for (const lease of leaseRecords(store, 10)) store.apply(lease.id, online(lease.server, clock.at));
      clock.at += INTERVAL_MS;
    }
    const before = store.getMany([keyOf(server(1)), keyOf(server(2))]);
    const found = await afterRestart();
    assert.deepEqual(found.getMany([keyOf(server(1)), keyOf(server(2))]), before.map(restarted));
  });

  check(
    'after a kill the status of each server is current, and player data are at most 7 minutes old',
    async opened => {
      const { store, clock, afterKill } = opened;
      await store.insertIfAbsent([server(1), server(2)]);
      const begin = clock.at;
      const probe = (find: (record: ServerRecord) => ServerRecord): void => {
        for (const lease of leaseRecords(store, 10)) store.apply(lease.id, find(lease.server));
      };
      for (; clock.at < begin + 20 * INTERVAL_MS; clock.at += INTERVAL_MS) {
        probe(record => online(record, clock.at));
      }
      clock.at -= INTERVAL_MS;
      // Makes one server (`lost`) go offline just before the simulated kill of the process. The store that is opened
      // after the kill must report this server as offline.
      const [lost] = store.getMany([keyOf(server(2))]);
      assert.ok(lost);
      clock.at = lost.nextProbeAt;
      probe(record => (record.address === lost.address ? failed(record, clock.at) : record));
      // Waits until all earlier writes are on disk, by inserting one more server. The store writes in order, so the
      // data of this insert reach the disk last.
      await store.insertIfAbsent([server(3)]);
      const found = await afterKill();
      assert.deepEqual(found.stats(), { ...store.stats(), leased: 0 });
      const [here] = found.getMany([keyOf(server(1))]);
      assert.equal(here?.status, 'online');
      assert.ok(
        here.lastOnlineAt > clock.at - 7 * INTERVAL_MS,
        `${(clock.at - here.lastOnlineAt) / 1000} s old`,
      );
      assert.equal(found.getMany([keyOf(server(2))])[0]?.status, 'offline');
    },
  );

  check('a report for a lease from before a restart is refused', async ({ store, clock, afterRestart }) => {
    await store.insertIfAbsent([server(1)]);
    const old = leaseOne(store);
    clock.at += 1;
    const found = await afterRestart();
    const lease = leaseOne(found);
    assert.notEqual(lease.id, old.id);
    assert.equal(found.apply(old.id, online(old.server, clock.at)), false);
    assert.equal(found.apply(lease.id, online(lease.server, clock.at)), true);
  });
}
