import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ALL_BUCKETS, bucketOf } from '../../core/cluster/buckets.ts';
import { fenceKey, hashKey } from '../../core/store/redis/buckets.ts';
import { slotOfBucket } from '../../core/store/redis/hash-slots.ts';
import { SCHEMA } from '../../core/store/schema.ts';
import { EngineCluster } from './engine-cluster.ts';
import { enginesToTest } from './engine-program.ts';
import { entriesOf, flush, insert, openRedisStore, put } from './redis-stores.ts';

const refused = {
  name: 'NoWrites',
  code: 'CORE_1',
  message: /belongs to another core: it has the fence "2 core-2"/,
};
const newerOwner = (epoch: number) => new RegExp(`a bucket has a newer owner: epoch ${epoch}`);

for (const kind of enginesToTest()) {
  let cluster: EngineCluster;
  before(async () => {
    cluster = await EngineCluster.start(kind);
  });
  after(() => cluster.stop());

  test(`${kind}: after a newer owner has taken buckets (groups of servers), each write of the older owner is refused and counted`, async () => {
    await flush(cluster);
    const older = await openRedisStore(cluster, 1);
    await older.store.commit([put('t/a', 'old')]);
    const newer = await openRedisStore(cluster, 2);
    await assert.rejects(older.store.commit([put('t/a', 'new'), put('t/b')]), refused);
    assert.equal(older.store.fencedWrites, 2);
    await assert.rejects(older.store.insertIfAbsent([insert('s/c')]), refused);
    assert.equal(older.store.append(put('s/d')), false);
    assert.deepEqual([older.lost.length, older.failures, older.store.failed], [1, [], false]);
    assert.match(older.lost[0]?.message ?? '', /belongs to another core/);
    await older.store.close();
    assert.deepEqual(await entriesOf(newer.store), [['t/a', 'old']]);
    await newer.store.close();
  });

  test(`${kind}: append() (a write that does not wait for the result) stores nothing if the bucket (group of servers) has a newer owner`, async () => {
    await flush(cluster);
    const older = await openRedisStore(cluster, 1);
    const newer = await openRedisStore(cluster, 2);
    for (const key of ['s/a', 's/b', 'q/c']) assert.equal(older.store.append(put(key)), true);
    await older.store.close();
    assert.deepEqual([older.lost.length, older.store.fencedWrites], [1, 3]);
    assert.deepEqual(await entriesOf(newer.store), []);
    await newer.store.close();
  });

  test(`${kind}: a core can take the buckets (groups of servers) of another core only with a higher epoch (number of the ownership)`, async () => {
    await flush(cluster);
    const { store } = await openRedisStore(cluster, 5);
    await assert.rejects(openRedisStore(cluster, 4), newerOwner(5));
    await assert.rejects(openRedisStore(cluster, 5, { owner: 'other' }), newerOwner(5));
    await store.commit([put('t/a')]);
    const again = await openRedisStore(cluster, 5);
    await again.store.commit([put('t/b')]);
    assert.deepEqual((await entriesOf(store)).length, 2);
    await Promise.all([store.close(), again.store.close()]);
  });

  test(`${kind}: the new owner of a bucket (group of servers) finds all acknowledged inserts, and the old owner acknowledges no more inserts`, async () => {
    await flush(cluster);
    const older = await openRedisStore(cluster, 1);
    const acknowledged: string[] = [];
    const insertUntilRefused = async (worker: number): Promise<void> => {
      for (let i = 0; ; i++) {
        const key = `s/csgo 10.${worker}.${i >> 8}.${i & 255}:1`;
        const winners = await older.store.insertIfAbsent([insert(key, 'old')]).catch(() => undefined);
        if (!winners) return;
        acknowledged.push(key);
      }
    };
    const workers = Array.from({ length: 20 }, (_, worker) => insertUntilRefused(worker));
    const newer = await openRedisStore(cluster, 2);
    const found = await entriesOf(newer.store, 's/');
    await Promise.all(workers);
    assert.deepEqual(await entriesOf(newer.store, 's/'), found);
    const keys = new Set(found.map(([key]) => key));
    assert.deepEqual(
      acknowledged.filter(key => !keys.has(key)),
      [],
    );
    assert.equal(older.lost.length, 1);
    await Promise.all([older.store.close(), newer.store.close()]);
  });

  test(`${kind}: if the older and the newer owner of a bucket (group of servers) insert a server at the same time, only the newer one succeeds`, async () => {
    await flush(cluster);
    const older = await openRedisStore(cluster, 1);
    const newer = await openRedisStore(cluster, 2);
    const key = 's/csgo 10.0.0.1:27015';
    const [first, second] = await Promise.allSettled([
      older.store.insertIfAbsent([insert(key, 'old')]),
      newer.store.insertIfAbsent([insert(key, 'new')]),
    ]);
    assert.deepEqual([first.status, second.status], ['rejected', 'fulfilled']);
    assert.deepEqual(await entriesOf(newer.store), [[key, 'new']]);
    await Promise.all([older.store.close(), newer.store.close()]);
  });

  test(`${kind}: if the database loses all its data, the next write fails, and recover() of the store writes all data again`, async () => {
    await flush(cluster);
    const { store, failures, lost } = await openRedisStore(cluster, 1);
    await store.commit([put('t/a'), put('s/b')]);
    await flush(cluster);
    await assert.rejects(store.commit([put('t/c')]), /a bucket has lost its fence/);
    assert.deepEqual([store.failed, failures.length, lost], [true, 1, []]);
    await store.recover(async () => [put('t/a'), put('s/b')]);
    await store.commit([put('t/c')]);
    assert.deepEqual(
      (await entriesOf(store)).map(([key]) => key),
      ['s/b', 't/a', 't/c'],
    );
    await store.close();
  });

  test(`${kind}: a core writes, loads and recovers only its own buckets (groups of servers), but reads the tokens and webhooks of all cores`, async () => {
    await flush(cluster);
    const [mine, theirs] = ['s/csgo 10.0.0.1:1', 's/csgo 10.0.0.2:1'];
    const own = [bucketOf(mine)];
    const all = Array.from({ length: ALL_BUCKETS }, (_, bucket) => bucket);
    const first = await openRedisStore(cluster, 1, { buckets: own });
    const second = await openRedisStore(cluster, 2, { buckets: all.filter(bucket => !own.includes(bucket)) });
    await first.store.insertIfAbsent([insert(mine)]);
    await second.store.commit([put(theirs), put('t/a')]);
    const keysOf = async (read: (visit: (key: string) => void) => Promise<void>): Promise<string[]> => {
      const keys: string[] = [];
      await read(key => void keys.push(key));
      return keys.sort();
    };
    const { store } = first;
    assert.deepEqual(await keysOf(visit => store.readAll('', visit)), [mine, 't/a']);
    assert.deepEqual(await keysOf(visit => store.readAll('s/', visit)), [mine]);
    assert.deepEqual(await keysOf(visit => store.readBuckets([bucketOf(theirs)], 's/', visit)), [theirs]);
    assert.deepEqual((await entriesOf(store)).length, 3);
    await cluster
      .ownerOf(slotOfBucket(own[0] ?? 0))
      .command('DEL', fenceKey(own[0] ?? 0), hashKey(own[0] ?? 0, 's'));
    await assert.rejects(store.commit([put(mine)]), /a bucket has lost its fence/);
    await store.recover(async () => [put(mine), { type: 'del', key: theirs }, { type: 'del', key: 't/a' }]);
    assert.deepEqual(
      (await entriesOf(store)).map(([key]) => key),
      [mine, theirs, 't/a'],
    );
    await store.dropBuckets(own);
    await assert.rejects(store.commit([put(mine)]), { name: 'NotOwned' });
    assert.equal(store.append(put(mine)), false);
    await store.finishLoading();
    await second.store.finishLoading();
    const bucket = bucketOf('m/state');
    const stored = await cluster.ownerOf(slotOfBucket(bucket)).command('HGET', hashKey(bucket, 'm'), 'state');
    assert.equal(stored, String(SCHEMA));
    assert.deepEqual([first.lost, second.lost, second.failures], [[], [], []]);
    await Promise.all([first.store.close(), second.store.close()]);
  });

  test(`${kind}: gsq refuses to open a store that a later release has written, and this attempt does not stop the current owner from writing`, async () => {
    await flush(cluster);
    const { store } = await openRedisStore(cluster, 1);
    await store.finishLoading();
    const bucket = bucketOf('m/state');
    const master = cluster.ownerOf(slotOfBucket(bucket));
    assert.equal(await master.command('HGET', hashKey(bucket, 'm'), 'state'), String(SCHEMA));
    assert.deepEqual(await entriesOf(store), []);
    await master.command('HSET', hashKey(bucket, 'm'), 'state', String(SCHEMA + 1));
    await assert.rejects(openRedisStore(cluster, 2), { name: 'NewerStore' });
    await store.commit([put('t/a')]);
    assert.equal(await master.command('GET', fenceKey(bucket)), '1 core-1');
    await store.close();
  });
}
