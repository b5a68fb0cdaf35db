import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { bucketOf } from '../../core/cluster/buckets.ts';
import { hashKey } from '../../core/store/redis/buckets.ts';
import { slotOfBucket } from '../../core/store/redis/hash-slots.ts';
import { until } from '../system/until.ts';
import { AcknowledgedInserts } from './acknowledged-inserts.ts';
import { EngineCluster } from './engine-cluster.ts';
import { enginesToTest } from './engine-program.ts';
import { del, entriesOf, flush, insert, openRedisStore, put } from './redis-stores.ts';

/**
 * The test kills a master when its paused replica lacks more than this number of bytes. The sockets between the two
 * nodes cannot buffer so many bytes. So the replica really lacks the newest writes when it takes over.
 */
const BEHIND_BYTES = 24 * 1024 * 1024;
const LOST_CONNECTION = 'store: lost the connection to a node of the storage engine';

for (const kind of enginesToTest()) {
  let cluster: EngineCluster;
  /**
   * Epoch (sequence number) of the newest owner of the store in these tests. Each new owner needs a higher epoch than
   * all earlier owners.
   */
  let epoch = 0;
  before(async () => {
    cluster = await EngineCluster.start(kind);
  });
  after(() => cluster.stop());

  /** Starts killed nodes again, continues paused nodes, and deletes all data of the cluster. */
  const mend = async (): Promise<void> => {
    for (const node of cluster.nodes) {
      if (!node.running) await node.start();
      else if (!node.live) node.resume();
    }
    await cluster.settled();
    await flush(cluster);
  };
  const open = () => openRedisStore(cluster, ++epoch);

  for (const signal of ['SIGKILL', 'SIGSTOP'] as const) {
    test(`${kind}: no acknowledged insert is lost when a master gets ${signal} and its replica takes over`, async () => {
      await mend();
      const { store, lost } = await open();
      const inserts = new AcknowledgedInserts(store);
      await inserts.more(500);
      const master = cluster.ownerOf(0);
      if (signal === 'SIGKILL') await cluster.kill(master);
      else cluster.pause(master);
      await cluster.settled();
      // Starts the old master again, so that it becomes the replica of the new master. Without a replica, the store
      // refuses inserts.
      if (signal === 'SIGKILL') await master.start();
      else cluster.resume(master);
      await cluster.settled();
      await inserts.more(500);
      assert.ok((await inserts.stop()) >= 1000);
      assert.deepEqual(lost, []);
      await store.close();
    });
  }

  test(`${kind}: no acknowledged insert is lost when a replica takes over without the newest writes of its master`, async () => {
    await mend();
    const { store } = await open();
    const inserts = new AcknowledgedInserts(store, 20_000);
    await inserts.more(100);
    const master = cluster.ownerOf(0);
    const replica = cluster.replicaOf(master);
    cluster.pause(replica);
    // Waits until the store has refused an insert, or until the replica lacks many writes of the master. A store that
    // does not wait for replicas would acknowledge these writes, and the failover would lose them.
    const behind = async () => {
      const info = String(await master.command('INFO', 'replication'));
      const [written, received] = [/master_repl_offset:(\d+)/, /slave0:.*offset=(\d+)/].map(
        field => field.exec(info)?.[1],
      );
      return Number(written) - Number(received);
    };
    const isReady = async () => inserts.refused > 0 || (await behind()) > BEHIND_BYTES;
    await until('a refused insert, or writes that the replica lacks', isReady, Boolean);
    await cluster.kill(master);
    cluster.resume(replica);
    await cluster.settled();
    await master.start();
    await cluster.settled();
    await inserts.more(100);
    await inserts.stop();
    await store.close();
  });

  test(`${kind}: while no database replica runs, the store refuses writes`, async () => {
    await mend();
    const { store, failures } = await open();
    await store.insertIfAbsent([insert('s/a')]);
    const replicas = cluster.nodes.filter(({ role }) => role === 'replica');
    await Promise.all(replicas.map(node => cluster.kill(node)));
    const refused = { name: 'NoWrites', message: /0 of 1 replicas have the write in their memory/ };
    await assert.rejects(store.insertIfAbsent([insert('s/b')]), refused);
    assert.deepEqual([store.failed, failures.length], [true, 1]);
    await assert.rejects(store.commit([put('s/c')]), { name: 'NoWrites' });
    assert.equal(store.append(put('s/d')), false);
    await assert.rejects(
      store.recover(async () => []),
      /0 of 1 replicas/,
    );
    assert.equal(store.failed, true);
    await Promise.all(replicas.map(node => node.start()));
    await cluster.settled();
    // The entry `s/b` was refused, but the master has stored it. Therefore the callback of `recover` deletes this
    // entry.
    await store.recover(async () => [put('s/a'), del('s/b')]);
    assert.deepEqual([store.failed, store.refusal], [false, undefined]);
    await store.insertIfAbsent([insert('s/e')]);
    assert.deepEqual(
      (await entriesOf(store)).map(([key]) => key),
      ['s/a', 's/e'],
    );
    await store.close();
  });

  test(`${kind}: the store does not acknowledge a write if no replica confirms it and the connection to the master breaks`, async () => {
    await mend();
    const [first, ...others] = [
      await open(),
      ...(await Promise.all([1, 2].map(() => openRedisStore(cluster, epoch)))),
    ];
    await first.store.commit([put('t/a', 'old'), put('t/b', 'old')]);
    // Pauses the replicas, so that no replica confirms the following writes. On a connection that has sent no writes
    // yet, the Redis command WAIT still reports a paused replica as up to date. The store must not rely on such a
    // report.
    for (const node of cluster.nodes) if (node.role === 'replica') cluster.pause(node);
    // Makes three writes at the same time. This needs three stores of the same owner, because one store makes only one
    // write at a time.
    const writes = [
      first.store.commit([del('t/a')]),
      others[0]?.store.commit([put('t/b', 'new')]),
      others[1]?.store.insertIfAbsent([insert('t/c', 'new')]),
    ];
    const results = Promise.allSettled(writes);
    const values = ['a', 'b', 'c'].map(field => async () => {
      const bucket = bucketOf(`t/${field}`);
      return cluster.ownerOf(slotOfBucket(bucket)).command('HGET', hashKey(bucket, 't'), field);
    });
    const look = () => Promise.all(values.map(value => value()));
    await until('the writes on the masters', look, found => String(found) === String([null, 'new', 'new']));
    await Promise.all(cluster.masters.map(master => master.command('CLIENT', 'KILL', 'TYPE', 'normal')));
    for (const result of await results) {
      assert.ok(result.status === 'rejected');
      assert.match(String(result.reason), /NoWrites: .*0 of 1 replicas/);
    }
    await Promise.all([first, ...others].map(({ store }) => store.close()));
  });

  test(`${kind}: a write that is delayed by a short pause of the master does not replace a newer write of the same key`, async () => {
    await mend();
    const { store, warnings } = await open();
    const master = cluster.ownerOf(slotOfBucket(bucketOf('t/a')));
    cluster.pause(master);
    const first = store.commit([put('t/a', '1')]);
    await until(
      'a lost connection',
      () => warnings,
      found => found.includes(LOST_CONNECTION),
    );
    cluster.resume(master);
    await first;
    for (let i = 2; i <= 50; i++) await store.commit([put('t/a', String(i))]);
    await cluster.settled();
    assert.deepEqual(await entriesOf(store, 't/'), [['t/a', '50']]);
    await store.close();
  });

  test(`${kind}: if the database master of a bucket (a share of the data) hangs, a read of the bucket waits for the new master`, async () => {
    await mend();
    const { store } = await open();
    await store.commit([put('t/a', '1')]);
    const bucket = bucketOf('t/a');
    const master = cluster.ownerOf(slotOfBucket(bucket));
    cluster.pause(master);
    const found: string[] = [];
    await store.readBuckets([bucket], 't/', key => void found.push(key));
    assert.deepEqual(found, ['t/a']);
    cluster.resume(master);
    await cluster.settled();
    await store.close();
  });

  test(`${kind}: writes succeed while the hash slot of their keys moves to a different master`, async () => {
    await mend();
    const { store, failures } = await open();
    const bucket = bucketOf('t/a');
    const slot = String(slotOfBucket(bucket));
    const from = cluster.ownerOf(Number(slot));
    const to = cluster.masters.find(node => node !== from);
    assert.ok(to);
    await store.commit([put('t/a', 'before'), put('t/a/1', 'kept')]);
    await to.command('CLUSTER', 'SETSLOT', slot, 'IMPORTING', from.id);
    await from.command('CLUSTER', 'SETSLOT', slot, 'MIGRATING', to.id);
    const keys = String(await from.command('CLUSTER', 'GETKEYSINSLOT', slot, '10')).split(',');
    const [first = '', ...others] = keys;
    const move = (moved: string[]) =>
      from.command('MIGRATE', '127.0.0.1', String(to.port), '', '0', '5000', 'KEYS', ...moved);
    await move([first]);
    // The keys of the bucket (group of entries with one owner) are now on two masters. Both masters refuse the write
    // script, so the store repeats it until all keys have moved.
    const during = store.commit([put('t/a', 'during')]);
    await move(others);
    await during;
    for (const node of [to, from]) await node.command('CLUSTER', 'SETSLOT', slot, 'NODE', to.id);
    await store.commit([put('t/a', 'after')]);
    assert.deepEqual(await entriesOf(store, 't/'), [
      ['t/a', 'after'],
      ['t/a/1', 'kept'],
    ]);
    assert.equal(await to.command('HGET', hashKey(bucket, 't'), 'a'), 'after');
    assert.deepEqual(failures, []);
    await store.close();
    await cluster.settled();
  });
}
