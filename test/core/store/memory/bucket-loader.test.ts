import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bucketOf, bucketOfServer } from '../../../../core/cluster/buckets.ts';
import type { ServerRecord } from '../../../../core/servers/server-record.ts';
import { NoWrites } from '../../../../core/store/no-writes.ts';
import type { Operation } from '../../../../core/store/storage-engine.ts';
import { StoreDamage } from '../../../../core/store/store-damage.ts';
import { offlineRecord, onlineRecord } from '../../record-of.ts';
import { leaseRecords } from '../lease-records.ts';
import { bucketsOf, openCore, serverAt, sharedEntries } from './shared-stores.ts';

const NOBODY = (): undefined => undefined;
const SERVERS = Array.from({ length: 40 }, (_, i) => serverAt(i));
const KEYS = SERVERS.map(({ gameId, address }) => `${gameId} ${address}`);
const BUCKETS = [...new Set(KEYS.map(bucketOfServer))];
const KEY = KEYS[0] ?? '';
const BUCKET = bucketOfServer(KEY);

/**
 * Opens two cores that share a store. The first core, `a`, owns all buckets (groups of servers) and has inserted the
 * servers.
 */
async function opened() {
  const shared = sharedEntries(bucketOf);
  const [a, b] = [await openCore(shared, 'a'), await openCore(shared, 'b')];
  for (const bucket of BUCKETS) shared.owners.set(bucket, 'a');
  await bucketsOf(a.store).takeBuckets(BUCKETS, NOBODY);
  await a.store.insertIfAbsent(SERVERS);
  /** Makes core `b` the owner of all buckets, and loads the servers there. Core `a` must have unloaded them before. */
  const acquire = async (): Promise<void> => {
    for (const bucket of BUCKETS) shared.owners.set(bucket, 'b');
    await bucketsOf(b.store).takeBuckets(BUCKETS, NOBODY);
  };
  return { shared, a, b, acquire };
}

const isPut = ({ type }: Operation): boolean => type === 'put';

test('after a core gave its servers to another core, only the other core counts these servers, and probes them after 3 s', async () => {
  const { a, b, acquire } = await opened();
  await bucketsOf(a.store).stopBuckets(BUCKETS);
  await bucketsOf(a.store).giveBuckets(BUCKETS, NOBODY);
  assert.deepEqual(a.store.stats(), { tracked: 0, pending: 0, online: 0, offline: 0, leased: 0 });
  assert.equal(a.store.getMany([KEY])[0], undefined);
  assert.equal(a.unconfirmed.size, 0);
  await acquire();
  assert.equal(b.store.stats().pending, SERVERS.length);
  assert.equal(b.unconfirmed.size, SERVERS.length);
  // The new core waits for 3 s before it probes overdue servers, so that it can first load all buckets of servers.
  b.clock.at += 2_900;
  assert.equal(leaseRecords(b.store, 100).length, 0);
  b.clock.at += 200;
  assert.deepEqual(
    leaseRecords(b.store, 100)
      .map(({ server }) => server.key)
      .sort(),
    [...KEYS].sort(),
  );
});

test('while a core unloads a bucket (group of servers), it drops probe reports about these servers, and orders no probes of them', async () => {
  const { a } = await opened();
  const leases = leaseRecords(a.store, 100);
  await bucketsOf(a.store).stopBuckets([BUCKET]);
  for (const { id, server } of leases) {
    assert.equal(a.store.apply(id, onlineRecord(server, a.clock.at)), server.key !== KEY);
  }
  a.store.hasten(KEY, a.clock.at - 1);
  a.clock.at += 3_600_000;
  assert.equal(leaseRecords(a.store, 100).length, SERVERS.length - 1);
  // If the clock is set back by two hours, the store plans the probes of all servers again. But it must not plan a
  // probe of the server KEY, because the core is unloading the bucket that contains KEY.
  a.clock.at -= 7_200_000;
  a.store.release(leaseRecords(a.store, 100).map(({ id }) => id));
  a.clock.at += 10 * 86_400_000;
  assert.equal(
    leaseRecords(a.store, 100).some(({ server }) => server.key === KEY),
    false,
  );
});

test('if a server moves to a new core during a probe, the new core waits until the probe lease ends, but at most one probe interval', async () => {
  const { a, b, acquire } = await opened();
  // Half of the servers get a probe interval of 20 s. It is shorter than a lease (probe order), which lasts 30 s.
  const half = new Set(KEYS.slice(0, KEYS.length / 2));
  for (const { id, server } of leaseRecords(a.store, 100)) {
    const record = onlineRecord(server, a.clock.at);
    a.store.apply(
      id,
      half.has(server.key) ? { ...record, intervalMs: 20_000, nextProbeAt: a.clock.at } : record,
    );
  }
  a.clock.at += 121_000;
  assert.equal(leaseRecords(a.store, 100).length, SERVERS.length);
  a.clock.at += 5_000;
  await bucketsOf(a.store).stopBuckets(BUCKETS);
  await bucketsOf(a.store).giveBuckets(BUCKETS, NOBODY);
  b.clock.at = a.clock.at;
  await acquire();
  const keysDue = (): string[] => leaseRecords(b.store, 100).map(({ server }) => server.key);
  b.clock.at += 19_900;
  assert.deepEqual(keysDue(), []);
  b.clock.at += 200;
  assert.deepEqual(new Set(keysDue()), half);
  b.clock.at += 5_000;
  assert.equal(keysDue().length, SERVERS.length - half.size);
});

test('while a core gives away a bucket (group of servers), it refuses to change the servers in the bucket, but still finds them', async () => {
  const { a } = await opened();
  const [server, other] = SERVERS;
  assert.ok(server && other);
  await a.store.remove([KEY]);
  const stopped = bucketsOf(a.store).stopBuckets([BUCKET, bucketOfServer(KEYS[1] ?? '')]);
  assert.deepEqual(await a.store.insertIfAbsent([server, other]), ['refused', 'present']);
  await assert.rejects(a.store.remove([KEYS[1] ?? '']), NoWrites);
  await assert.rejects(a.store.listPublicly([KEYS[1] ?? ''], true), NoWrites);
  assert.deepEqual(await a.store.remove([KEYS[2] ?? '', KEY]), [true, false]);
  await stopped;
  assert.equal(a.store.getMany([KEYS[1] ?? ''])[0]?.key, KEYS[1]);
});

test('before a core unloads a bucket (group of servers), it stores all pending changes of the servers in the bucket', async () => {
  const { shared, a, b, acquire } = await opened();
  const added = serverAt(0, 'rust');
  const outcomes = Promise.all([
    a.store.insertIfAbsent([added]),
    a.store.remove([KEYS[1] ?? '']),
    a.store.listPublicly([KEYS[2] ?? ''], true),
  ]);
  await bucketsOf(a.store).stopBuckets(BUCKETS);
  await bucketsOf(a.store).giveBuckets(BUCKETS, NOBODY);
  assert.equal(shared.durable.has(`s/rust ${added.address}`), true);
  await acquire();
  assert.deepEqual(await outcomes, [['inserted'], [true], [true]]);
  const [inserted, removed, listed] = b.store.getMany([
    `rust ${added.address}`,
    KEYS[1] ?? '',
    KEYS[2] ?? '',
  ]);
  assert.equal(inserted?.status, 'pending');
  assert.equal(removed, undefined);
  assert.equal(listed?.isPublic, true);
});

test('before a core unloads a bucket (group of servers), it writes changed records even if an earlier write was refused', async () => {
  const { a, b, acquire } = await opened();
  const first = leaseRecords(a.store, 100);
  for (const { id, server } of first) a.store.apply(id, onlineRecord(server, a.clock.at));
  a.clock.at += 121_000;
  const newest = new Map<string, ServerRecord>();
  for (const [i, { id, server }] of leaseRecords(a.store, 100).entries()) {
    const isOffline = i % 2 === 0;
    const next = isOffline ? offlineRecord(server, a.clock.at) : onlineRecord(server, a.clock.at);
    const changed = { ...next, openHour: Buffer.from(`hour ${i}`) };
    if (i % 5 === 0) a.engine.pause('the disk is full');
    a.store.apply(id, changed, i % 3 === 0);
    a.engine.pause(undefined);
    newest.set(changed.key, changed);
  }
  assert.equal(newest.size, SERVERS.length);
  await bucketsOf(a.store).stopBuckets(BUCKETS);
  await bucketsOf(a.store).giveBuckets(BUCKETS, NOBODY);
  await acquire();
  for (const record of b.store.getMany(KEYS)) {
    const expected = newest.get(record?.key ?? '');
    assert.equal(record?.status, expected?.status);
    assert.deepEqual(record?.openHour, expected?.openHour);
    assert.equal(record?.lastProbeAt, expected?.lastProbeAt);
  }
});

test('if the storage engine refuses the writes of giveBuckets (unloads servers), all servers stay loaded, and a second call succeeds', async () => {
  const { a, b, acquire } = await opened();
  a.engine.losesAppends = true;
  for (const { id, server } of leaseRecords(a.store, 100))
    a.store.apply(id, offlineRecord(server, a.clock.at));
  a.engine.losesAppends = false;
  await bucketsOf(a.store).stopBuckets(BUCKETS);
  a.engine.pause('a write failed');
  await assert.rejects(
    bucketsOf(a.store).giveBuckets(BUCKETS, () => assert.fail('unloads servers')),
    NoWrites,
  );
  assert.equal(a.store.stats().offline, SERVERS.length);
  a.engine.pause(undefined);
  await a.engine.recover(() => a.store.compare());
  await bucketsOf(a.store).giveBuckets(BUCKETS, NOBODY);
  assert.equal(a.store.stats().tracked, 0);
  await acquire();
  assert.equal(b.store.stats().offline, SERVERS.length);
});

test('after a failed giveBuckets() (writes and unloads servers), a second call writes the newest records', async () => {
  const { a, b, acquire } = await opened();
  for (let probe = 0; probe < 2; probe++) {
    for (const { id, server } of leaseRecords(a.store, 100))
      a.store.apply(id, onlineRecord(server, a.clock.at));
    a.clock.at += 121_000;
  }
  const probedAt = a.store.getMany(KEYS).map(record => record?.lastProbeAt);
  await bucketsOf(a.store).stopBuckets(BUCKETS);
  a.engine.pause('the disk is full');
  await assert.rejects(bucketsOf(a.store).giveBuckets(BUCKETS, NOBODY), NoWrites);
  a.engine.pause(undefined);
  await bucketsOf(a.store).giveBuckets(BUCKETS, NOBODY);
  await acquire();
  assert.deepEqual(
    b.store.getMany(KEYS).map(record => record?.lastProbeAt),
    probedAt,
  );
});

test('compare() (repairs a store after a failed write) deletes no stored server while the core loads or unloads this server', async () => {
  const { shared, a, b } = await opened();
  const stored = new Map(shared.durable);
  await bucketsOf(a.store).stopBuckets(BUCKETS);
  let compared = 0;
  const compare = async (core: typeof a): Promise<void> => {
    const operations = await core.store.compare();
    assert.equal(operations.every(isPut), true);
    compared++;
  };
  await bucketsOf(a.store).giveBuckets(BUCKETS, () => compare(a));
  for (const bucket of BUCKETS) shared.owners.set(bucket, 'b');
  await bucketsOf(b.store).takeBuckets(BUCKETS, () => compare(b));
  assert.ok(compared >= 3);
  assert.deepEqual(new Map(shared.durable), stored);
  assert.deepEqual(await b.store.compare(), []);
});

test('compare() (repairs the store) deletes servers that are not in memory, but only from loaded buckets (groups of servers)', async () => {
  const { shared, a, b } = await opened();
  const [first, ...others] = BUCKETS;
  assert.ok(first !== undefined);
  await bucketsOf(a.store).stopBuckets(others);
  await bucketsOf(a.store).giveBuckets(others, NOBODY);
  const key = KEYS.find(one => bucketOfServer(one) === first) ?? '';
  const surplus = `s/rust ${key.slice(key.indexOf(' ') + 1)}`;
  shared.durable.set(surplus, Buffer.from(shared.durable.get(`s/${key}`) ?? ''));
  assert.deepEqual(await a.store.compare(), [{ type: 'del', key: surplus }]);
  assert.deepEqual(await b.store.compare(), []);
});

test('takeBuckets (loads servers) and giveBuckets (unloads servers) pass each server once to their callback, with its record', async () => {
  const { shared, a, b } = await opened();
  const unloaded: string[] = [];
  const loaded: string[] = [];
  await bucketsOf(a.store).stopBuckets(BUCKETS);
  await bucketsOf(a.store).giveBuckets(BUCKETS, servers => {
    for (const { key, status } of servers) unloaded.push(`${key} ${status}`);
    return undefined;
  });
  for (const bucket of BUCKETS) shared.owners.set(bucket, 'b');
  await bucketsOf(b.store).takeBuckets(BUCKETS, servers => {
    for (const { key, status } of servers) loaded.push(`${key} ${status}`);
    return undefined;
  });
  const expected = KEYS.map(key => `${key} pending`).sort();
  assert.deepEqual(unloaded.sort(), expected);
  assert.deepEqual(loaded.sort(), expected);
  assert.deepEqual(a.removed, []);
});

test('takeBuckets (loads servers) rejects with StoreDamage if a stored record is damaged', async () => {
  const { shared, a, b } = await opened();
  await bucketsOf(a.store).stopBuckets(BUCKETS);
  await bucketsOf(a.store).giveBuckets(BUCKETS, NOBODY);
  const value = shared.durable.get(`s/${KEY}`);
  assert.ok(value);
  value[value.length - 1] = (value.at(-1) ?? 0) ^ 1;
  for (const bucket of BUCKETS) shared.owners.set(bucket, 'b');
  await assert.rejects(bucketsOf(b.store).takeBuckets(BUCKETS, NOBODY), StoreDamage);
});
