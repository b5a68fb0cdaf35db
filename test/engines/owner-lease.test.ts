import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { slotOfBucket } from '../../core/store/redis/hash-slots.ts';
import { LEASE_BUCKET, LEASE_KEY, OwnerLease } from '../../core/store/redis/owner-lease.ts';
import { createLogger } from '../../runtime/log.ts';
import { until } from '../system/until.ts';
import { EngineCluster } from './engine-cluster.ts';
import { ENGINE_KINDS } from './engine-program.ts';

/** A time that is longer than the owner lease, in milliseconds. */
const LONG_MS = 9_000;

for (const kind of ENGINE_KINDS) {
  let cluster: EngineCluster;
  before(async () => {
    cluster = await EngineCluster.start(kind);
  });
  after(() => cluster.stop());

  const lost: Error[] = [];
  const acquire = (): Promise<OwnerLease> =>
    OwnerLease.acquire({
      url: cluster.url,
      owner: 'core-1',
      log: createLogger('core', 'silent'),
      onStandby: () => {},
      onLost: error => void lost.push(error),
    });
  /** Waits until the owner has renewed its lease for `ms` milliseconds, or has lost it. */
  const renewedFor = async (ms: number): Promise<void> => {
    const master = cluster.ownerOf(slotOfBucket(LEASE_BUCKET));
    const ends = async () => Number(await master.command('HGET', LEASE_KEY, 'ends'));
    const first = await ends();
    await until('a renewed lease', ends, time => lost.length > 0 || time >= first + ms);
    assert.deepEqual(lost, []);
  };

  test(`${kind}: the owner lease can be acquired and renewed while the memory of all nodes is full`, async () => {
    const limit = (bytes: string) =>
      Promise.all(cluster.masters.map(node => node.command('CONFIG', 'SET', 'maxmemory', bytes)));
    await limit('1');
    const lease = await acquire();
    await renewedFor(1);
    await lease.release();
    await limit('0');
  });

  test(`${kind}: the owner keeps its lease while no replica confirms the renewals`, async () => {
    const lease = await acquire();
    const replicas = cluster.nodes.filter(({ role }) => role === 'replica');
    for (const node of replicas) cluster.pause(node);
    await renewedFor(LONG_MS);
    for (const node of replicas) cluster.resume(node);
    await lease.release();
  });
}
