import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onlineRecord } from '../../record-of.ts';
import { leaseRecords } from '../lease-records.ts';
import { bucketsOf } from './shared-stores.ts';
import { BUCKET, BUCKETS, doNothing, KEY, KEYS, opened, SERVERS } from './two-cores.ts';

test('after a core gave its servers to another core, only the other core counts these servers, and probes them after 3 s', async () => {
  const { a, b, acquire } = await opened();
  await bucketsOf(a.store).stopBuckets(BUCKETS);
  await bucketsOf(a.store).giveBuckets(BUCKETS, doNothing);
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
  await bucketsOf(a.store).giveBuckets(BUCKETS, doNothing);
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
