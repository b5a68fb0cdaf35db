import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bucketOfServer } from '../../../../core/cluster/buckets.ts';
import type { ServerRecord } from '../../../../core/servers/server-record.ts';
import { NoWrites } from '../../../../core/store/no-writes.ts';
import { offlineRecord, onlineRecord } from '../../record-of.ts';
import { leaseRecords } from '../lease-records.ts';
import { bucketsOf, serverAt } from './shared-stores.ts';
import { BUCKET, BUCKETS, doNothing, KEY, KEYS, opened, SERVERS } from './two-cores.ts';

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
  await bucketsOf(a.store).giveBuckets(BUCKETS, doNothing);
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
  await bucketsOf(a.store).giveBuckets(BUCKETS, doNothing);
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
  await bucketsOf(a.store).giveBuckets(BUCKETS, doNothing);
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
  await assert.rejects(bucketsOf(a.store).giveBuckets(BUCKETS, doNothing), NoWrites);
  a.engine.pause(undefined);
  await bucketsOf(a.store).giveBuckets(BUCKETS, doNothing);
  await acquire();
  assert.deepEqual(
    b.store.getMany(KEYS).map(record => record?.lastProbeAt),
    probedAt,
  );
});
