import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { decodeRecord } from '../../../core/servers/record-codec.ts';
import { dataLengthAt, dataStartAt, newPointer, statusAt } from '../../../core/servers/record-pointer.ts';
import { newRecord } from '../../../core/servers/record-status.ts';
import { type ServerRecord, serverKey } from '../../../core/servers/server-record.ts';
import type { NewServer, ServerStore } from '../../../core/servers/server-store.ts';
import { type Clock, clockAt } from '../clock.ts';
import { payloadOf } from '../payload-of.ts';
import { offlineRecord, onlineRecord } from '../record-of.ts';
import { type LeasedRecord, leaseRecords } from './lease-records.ts';

export interface StoreOptions {
  now: () => number;
  probeIntervalMs: number;
  leaseMs: number;
  maxServers: number;
}

/** An opened store, and functions that open its data again. */
export interface OpenedStore {
  store: ServerStore;
  /** Opens the data again after an orderly shutdown of the process. */
  afterRestart(): Promise<ServerStore>;
  /** Opens the data again as if the process had been killed at the time of the call. */
  afterKill(): Promise<ServerStore>;
}

const INTERVAL_MS = 60_000;
const LEASE_MS = 30_000;

const server = (n: number, gameId = 'csgo'): NewServer => ({
  gameId,
  address: `1.2.3.${n}:27015`,
  insertedBy: 'tok_1',
});
const keyOf = ({ gameId, address }: NewServer): string => serverKey(gameId, address);

const online = (record: ServerRecord, now: number): ServerRecord =>
  onlineRecord(record, now, { queryPort: 27016 }, INTERVAL_MS);
const failed = (record: ServerRecord, now: number): ServerRecord =>
  offlineRecord(record, now, {}, INTERVAL_MS);

/**
 * Returns a record as it is after a restart of the core. A restart clears the measured reply loss, because it can be
 * outdated.
 */
const restarted = (record: ServerRecord | undefined): ServerRecord | undefined =>
  record && { ...record, history: { ...record.history, answers: 0 } };

/**
 * Defines the tests that every `ServerStore` must pass. `open` returns an empty store. It closes the store when the
 * test ends.
 */
export function serverStoreContract(
  name: string,
  open: (t: TestContext, options: StoreOptions) => Promise<OpenedStore>,
): void {
  interface Opened extends OpenedStore {
    clock: Clock;
  }
  const check = (what: string, run: (opened: Opened) => Promise<void>, maxServers = 1000): void => {
    test(`${name}: ${what}`, async t => {
      const clock = clockAt();
      const options = { now: clock.now, probeIntervalMs: INTERVAL_MS, leaseMs: LEASE_MS, maxServers };
      await run({ clock, ...(await open(t, options)) });
    });
  };
  const leaseOne = (store: ServerStore): LeasedRecord => {
    const [lease, ...others] = leaseRecords(store, 10);
    assert.ok(lease);
    assert.deepEqual(others, []);
    return lease;
  };

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

  /** Finds a server by an address in the middle of a buffer, as in a request. */
  const find = (store: ServerStore, gameId: string, address: string): ServerRecord | undefined => {
    const text = Buffer.from(`[${address}]`);
    const place = newPointer();
    if (!store.find(gameId, text, 1, text.length - 1, place)) return undefined;
    return decodeRecord(gameId, place);
  };

  check('find() returns the newest record of exactly the given pair of game and address', async ({ store, clock }) => {
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
    const place = newPointer();
    assert.equal(store.find('csgo', text, 0, text.length, place), true);
    assert.equal(statusAt(place), 'online');
    const start = dataStartAt(place);
    assert.deepEqual(place.bytes.subarray(start, start + dataLengthAt(place)), record.data);
    await store.remove([keyOf(server(2))]);
    assert.equal(find(store, 'csgo', '1.2.3.2:27015'), undefined, 'a removed one');
    assert.ok(find(store, 'csgo', '1.2.3.1:27015'));
  });

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

  check('a server whose insert resolved is pending and due after a kill of the process', async ({ store, afterKill }) => {
    await store.insertIfAbsent([server(1), server(2)]);
    const found = await afterKill();
    assert.equal(found.stats().pending, 2);
    assert.deepEqual(found.getMany([keyOf(server(1))]), store.getMany([keyOf(server(1))]));
    assert.equal(found.leaseDue(10).length, 2);
  });

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

  check('a server is not leased a second time while its lease lasts', async ({ store, clock }) => {
    await store.insertIfAbsent([server(1), server(2)]);
    const [first] = leaseRecords(store, 1);
    const [second] = leaseRecords(store, 10);
    assert.ok(first && second);
    assert.notEqual(first.server.key, second.server.key);
    assert.notEqual(first.id, second.id);
    clock.at += LEASE_MS - 1;
    assert.deepEqual(store.leaseDue(10), []);
    assert.deepEqual(store.leased(first.id), first.server);
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
    assert.deepEqual(store.leased(lease.id), lease.server);
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

  check('an applied record has the same data and due time after a restart', async opened => {
    const { store, clock, afterRestart } = opened;
    await store.insertIfAbsent([server(1), server(2)]);
    for (const lease of leaseRecords(store, 10)) {
      const become = lease.server.address === '1.2.3.1:27015' ? online : failed;
      store.apply(lease.id, become(lease.server, clock.at));
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

  check('after a kill the status of each server is current, and player data are at most 7 minutes old', async opened => {
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
    // One of the servers goes offline in the last minute.
    const [lost] = store.getMany([keyOf(server(2))]);
    assert.ok(lost);
    clock.at = lost.nextProbeAt;
    probe(record => (record.address === lost.address ? failed(record, clock.at) : record));
    // This insert becomes durable after all earlier writes, so it makes sure that they are on disk.
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
  });

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
