import assert from 'node:assert/strict';
import { decodeRecord } from '../../../../core/servers/record-codec.ts';
import {
  dataLengthAt,
  dataStartAt,
  newPointer,
  slotAt,
  statusAt,
} from '../../../../core/servers/record-pointer.ts';
import { newRecord } from '../../../../core/servers/record-status.ts';
import type { ServerRecord } from '../../../../core/servers/server-record.ts';
import type { ServerStore } from '../../../../core/servers/server-store.ts';
import { payloadOf } from '../../payload-of.ts';
import { onlineRecord } from '../../record-of.ts';
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

/**
 * Finds a server by its game and address. Passes the address as a part of a longer buffer, as a core does with the
 * bytes of a request.
 */
const find = (store: ServerStore, gameId: string, address: string): ServerRecord | undefined => {
  const text = Buffer.from(`[${address}]`);
  const pointer = newPointer();
  if (!store.find(gameId, text, 1, text.length - 1, pointer)) return undefined;
  return decodeRecord(gameId, pointer);
};

/** Defines the tests of look-ups, lists and counts that every `ServerStore` must pass. */
export function checkLookUps(check: Check): void {
  check('an inserted server is pending and due immediately', async ({ store, clock }) => {
    assert.deepEqual(await store.insertIfAbsent([server(1)]), ['inserted']);
    const expected = newRecord('csgo', '1.2.3.1:27015', 'tok_1', clock.at, INTERVAL_MS);
    assert.deepEqual(store.getMany([keyOf(server(1))]), [expected]);
    assert.deepEqual(leaseOne(store).server, expected);
  });

  check(
    'getMany() returns records in the order of the given keys, and undefined for unknown keys',
    async ({ store }) => {
      await store.insertIfAbsent([server(1), server(2)]);
      const found = store.getMany([2, 3, 1, 2].map(n => keyOf(server(n))));
      assert.deepEqual(
        found.map(record => record?.address),
        ['1.2.3.2:27015', undefined, '1.2.3.1:27015', '1.2.3.2:27015'],
      );
    },
  );

  check(
    'find() returns the newest record of exactly the given pair of game and address',
    async ({ store, clock }) => {
      assert.equal(find(store, 'csgo', '1.2.3.1:27015'), undefined, 'where nothing is');
      await store.insertIfAbsent([server(1), server(2), server(1, 'css')]);
      for (const known of [server(1), server(2), server(1, 'css')]) {
        const [record] = store.getMany([keyOf(known)]);
        assert.ok(record);
        assert.deepEqual(find(store, known.gameId, known.address), record);
      }
      const wrong = [
        '1.2.3.1:2701',
        '1.2.3.1:270155',
        '.2.3.1:27015',
        '1.2.3.3:27015',
        '',
        'csgo 1.2.3.1:27015',
        '☃',
      ];
      for (const address of wrong) assert.equal(find(store, 'csgo', address), undefined, address);
      for (const gameId of ['cs', 'csgo ', '', 'css2', '__proto__']) {
        assert.equal(find(store, gameId, '1.2.3.1:27015'), undefined, gameId);
      }
      for (const lease of leaseRecords(store, 10)) store.apply(lease.id, online(lease.server, clock.at));
      const [record] = store.getMany([keyOf(server(2))]);
      assert.equal(record?.status, 'online');
      assert.deepEqual(find(store, 'csgo', '1.2.3.2:27015'), record);
      const text = Buffer.from('1.2.3.2:27015');
      const pointer = newPointer();
      assert.equal(store.find('csgo', text, 0, text.length, pointer), true);
      assert.equal(statusAt(pointer), 'online');
      const start = dataStartAt(pointer);
      assert.deepEqual(pointer.bytes.subarray(start, start + dataLengthAt(pointer)), record.data);
      const located = newPointer();
      store.locate(slotAt(pointer), located);
      assert.deepEqual([located.bytes, located.at], [pointer.bytes, pointer.at]);
      await store.remove([keyOf(server(2))]);
      assert.equal(find(store, 'csgo', '1.2.3.2:27015'), undefined, 'a removed one');
      assert.ok(find(store, 'csgo', '1.2.3.1:27015'));
    },
  );

  check('find() returns the same records after a restart', async ({ store, clock, afterRestart }) => {
    await store.insertIfAbsent([server(1), server(2, 'css')]);
    const [lease] = leaseRecords(store, 1);
    assert.ok(lease);
    store.apply(lease.id, online(lease.server, clock.at));
    const pairs = [server(1), server(2, 'css')];
    const before = pairs.map(({ gameId, address }) => find(store, gameId, address));
    assert.deepEqual(before.map(record => record?.status).sort(), ['online', 'pending']);
    const found = await afterRestart();
    assert.deepEqual(
      pairs.map(({ gameId, address }) => find(found, gameId, address)),
      before.map(restarted),
    );
  });

  check('a record returned by getMany() does not change when the store changes', async ({ store, clock }) => {
    await store.insertIfAbsent([server(1)]);
    const lease = leaseOne(store);
    const next = online(lease.server, clock.at);
    store.apply(lease.id, next);
    const [record] = store.getMany([next.key]);
    clock.at = next.nextProbeAt;
    const again = leaseOne(store);
    const other = payloadOf({ name: 'Another name', map: 'another map' });
    assert.ok(
      store.apply(again.id, onlineRecord(again.server, clock.at, { payload: other, queryPort: 27016 })),
    );
    assert.deepEqual(record, next);
  });

  check('list() returns the servers of a prefix page by page, in key order', async ({ store }) => {
    const all = [5, 3, 1, 4, 2].map(n => server(n));
    await store.insertIfAbsent([...all, server(1, 'css'), server(1, 'cs')]);
    const addresses = (records: readonly ServerRecord[]) =>
      records.map(({ gameId, address }) => `${gameId} ${address[6]}`);
    const first = await store.list('csgo ', '', 2);
    assert.deepEqual(addresses(first), ['csgo 1', 'csgo 2']);
    const second = await store.list('csgo ', first[1]?.key ?? '', 2);
    assert.deepEqual(addresses(second), ['csgo 3', 'csgo 4']);
    const last = await store.list('csgo ', second[1]?.key ?? '', 2);
    assert.deepEqual(addresses(last), ['csgo 5']);
    assert.deepEqual(addresses(await store.list('', '', 3)), ['cs 1', 'csgo 1', 'csgo 2']);
    assert.deepEqual(addresses(await store.list('', 'csgo 1.2.3.5:27015', 10)), ['css 1']);
    assert.deepEqual(await store.list('quake ', '', 10), []);
    await store.remove([keyOf(server(2))]);
    assert.deepEqual(addresses(await store.list('csgo ', 'csgo 1.2.3.1:27015', 1)), ['csgo 3']);
  });

  check('list() returns the newest records', async ({ store, clock }) => {
    await store.insertIfAbsent([server(1)]);
    const lease = leaseOne(store);
    const next = online(lease.server, clock.at);
    store.apply(lease.id, next);
    assert.deepEqual(await store.list('', '', 10), [next]);
  });

  check('stats() returns the number of servers of each status', async ({ store, clock }) => {
    assert.deepEqual(store.stats(), { tracked: 0, pending: 0, online: 0, offline: 0, leased: 0 });
    await store.insertIfAbsent([server(1), server(2), server(3)]);
    const [a, b] = leaseRecords(store, 2);
    assert.ok(a && b);
    store.apply(a.id, online(a.server, clock.at));
    assert.deepEqual(store.stats(), { tracked: 3, pending: 2, online: 1, offline: 0, leased: 1 });
    store.apply(b.id, failed(b.server, clock.at));
    assert.deepEqual(store.stats(), { tracked: 3, pending: 1, online: 1, offline: 1, leased: 0 });
    assert.equal(store.writable, true);
  });
}
