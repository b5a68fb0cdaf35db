import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { bucketOf } from '../../core/cluster/buckets.ts';
import { fenceKey, hashKey } from '../../core/store/redis/buckets.ts';
import { EngineConnection } from '../../core/store/redis/engine-connection.ts';
import { parseEngineUrl } from '../../core/store/redis/engine-url.ts';
import { putFenced } from '../../core/store/redis/fenced-put.ts';
import { slotOfBucket } from '../../core/store/redis/hash-slots.ts';
import type { RedisStore } from '../../core/store/redis/redis-store.ts';
import { until } from '../system/until.ts';
import { documentedRights } from './documented-user.ts';
import { EngineCluster } from './engine-cluster.ts';
import type { EngineNode } from './engine-node.ts';
import { enginesToTest } from './engine-program.ts';
import { entriesOf, flush, openRedisStore, put } from './redis-stores.ts';

/**
 * Keys of servers in one bucket (group of servers). There are so many of them that the store writes them with a
 * transaction instead of a Lua script.
 */
const KEYS = Array.from({ length: 100 }, (_, i) => `s/csgo 10.0.0.1:${20_000 + i}`);
const BUCKET = bucketOf(KEYS[0] ?? '');
const SLOT = slotOfBucket(BUCKET);
/** The two Redis keys of a bucket: the string with its fencing token, and the hash with its servers. */
const BUCKET_KEYS = [fenceKey(BUCKET), hashKey(BUCKET, 's')];

/** Queues one write for each key. All writes have the same value. */
function appendAll(store: RedisStore, value: string): void {
  for (const key of KEYS) assert.equal(store.append(put(key, value)), true);
}

/** Returns how many transactions have begun on a node. */
async function transactionsOf(node: EngineNode): Promise<number> {
  const stats = String(await node.command('INFO', 'commandstats'));
  return Number(/cmdstat_multi:calls=(\d+)/.exec(stats)?.[1] ?? 0);
}

/** Returns how many commands a node has redirected (ASK) because their hash slot is moving to another node. */
async function redirectsOf(node: EngineNode): Promise<number> {
  return Number(/errorstat_ASK:count=(\d+)/.exec(String(await node.command('INFO', 'errorstats')))?.[1] ?? 0);
}

for (const kind of enginesToTest()) {
  let cluster: EngineCluster;
  before(async () => {
    cluster = await EngineCluster.start(kind);
  });
  after(() => cluster.stop());
  const assertStored = async (store: RedisStore, value: string): Promise<void> =>
    assert.deepEqual(
      await entriesOf(store),
      KEYS.map(key => [key, value]),
    );

  test(`${kind}: one transaction writes many changed servers of a bucket (group of servers)`, async () => {
    await flush(cluster);
    const { store } = await openRedisStore(cluster, 1);
    const master = cluster.ownerOf(SLOT);
    const before = await transactionsOf(master);
    appendAll(store, 'new');
    await store.drain();
    assert.equal(await transactionsOf(master), before + 1);
    await assertStored(store, 'new');
    await store.close();
  });

  test(`${kind}: many transactions on one connection write the right values to nine buckets (groups of servers)`, async () => {
    await flush(cluster);
    const { store, failures } = await openRedisStore(cluster, 1);
    const buckets = Array.from({ length: 9 }, (_, host) =>
      KEYS.map(key => key.replace('10.0.0.1', `10.0.1.${host}`)),
    );
    for (let i = 0; i < 20; i++) {
      for (const key of buckets.flat()) store.append(put(key, `${key} ${i}`));
      await store.drain();
    }
    assert.deepEqual(
      (await entriesOf(store)).sort(),
      buckets
        .flat()
        .map(key => [key, `${key} 19`])
        .sort(),
    );
    assert.deepEqual(failures, []);
    await store.close();
  });

  test(`${kind}: a transaction fails if another core takes the bucket (group of servers) between the check of the owner and the write`, async () => {
    await flush(cluster);
    const master = cluster.ownerOf(SLOT);
    const { username, password } = parseEngineUrl(cluster.url);
    const address = { host: '127.0.0.1', port: master.port };
    const connection = await EngineConnection.open(address, { username, password, tls: undefined });
    const [fence, hash] = BUCKET_KEYS as [string, string];
    await master.command('SET', fence, '1 old');
    const replaced = {
      transactions: connection.transactions,
      send: async (command: readonly (string | Buffer)[]) => {
        const reply = await connection.send(command);
        if (command[0] === 'GET') await master.command('SET', fence, '2 new');
        return reply;
      },
    };
    const write = { fenceKey: fence, fence: '1 old', command: ['HSET', hash, 'field', 'value'] };
    await assert.rejects(putFenced(replaced, write), { name: 'NotExecuted', message: /written again/ });
    await assert.rejects(putFenced(connection, write), { name: 'NotExecuted', message: /"2 new"/ });
    assert.equal(await master.command('EXISTS', hash), 0);
    assert.equal(await putFenced(connection, { ...write, fence: '2 new' }), 1);
    connection.close();
  });

  for (const some of ['', '+multi +watch +unwatch '])
    test(`${kind}: if the database user of gsq may not run transactions (its rights: ${some || 'none'}), gsq logs a warning and writes without transactions`, async () => {
      await flush(cluster);
      const user = { user: 'restricted', password: 'a-password-of-this-test' };
      const rights = documentedRights(kind).replace('+@transaction ', some);
      const rules = ['reset', 'on', `>${user.password}`, ...rights.split(' ')];
      await Promise.all(cluster.nodes.map(node => node.command('ACL', 'SETUSER', user.user, ...rules)));
      const { store, warnings } = await openRedisStore({ url: cluster.urlOf(user) }, 1);
      assert.match(warnings.join('\n'), /may not run transactions .* \+@transaction/);
      appendAll(store, 'new');
      await store.drain();
      await assertStored(store, 'new');
      await store.close();
    });

  test(`${kind}: a transaction of an older owner of a bucket (group of servers) is refused and counted`, async () => {
    await flush(cluster);
    const older = await openRedisStore(cluster, 1);
    appendAll(older.store, 'old');
    await older.store.drain();
    const newer = await openRedisStore(cluster, 2);
    appendAll(older.store, 'late');
    await older.store.close();
    assert.deepEqual([older.lost.length, older.store.fencedWrites], [1, 1]);
    await assertStored(newer.store, 'old');
    await newer.store.close();
  });

  test(`${kind}: the store can write servers even while another client rewrites the unchanged fencing token (owner mark) of their bucket all the time`, async () => {
    await flush(cluster);
    const { store, failures } = await openRedisStore(cluster, 1);
    const master = cluster.ownerOf(SLOT);
    const fence = String(await master.command('GET', fenceKey(BUCKET)));
    let isOver = false;
    const touching = (async () => {
      const again = Array.from({ length: 200 }, () => ['SET', fenceKey(BUCKET), fence]);
      while (!isOver) await master.commands(...again);
    })();
    for (let i = 0; i < 50; i++) {
      appendAll(store, `value ${i}`);
      await store.drain();
    }
    isOver = true;
    await touching;
    await assertStored(store, 'value 49');
    assert.deepEqual(failures, []);
    await store.close();
  });

  for (const [i, moved] of BUCKET_KEYS.entries()) {
    const part = i === 0 ? 'the fence' : 'the hash of the servers';
    test(`${kind}: a write waits while only one key of a bucket (group of servers) has moved to another node: ${part}`, async () => {
      await flush(cluster);
      const { store, failures } = await openRedisStore(cluster, 1);
      appendAll(store, 'old');
      await store.drain();
      const from = cluster.ownerOf(SLOT);
      const to = cluster.masters.find(node => node !== from);
      assert.ok(to);
      await to.command('CLUSTER', 'SETSLOT', String(SLOT), 'IMPORTING', from.id);
      await from.command('CLUSTER', 'SETSLOT', String(SLOT), 'MIGRATING', to.id);
      const move = (keys: readonly string[]) =>
        from.command('MIGRATE', '127.0.0.1', String(to.port), '', '0', '5000', 'KEYS', ...keys);
      await move([moved]);
      const before = await redirectsOf(from);
      let isWritten = false;
      appendAll(store, 'new');
      const written = store.drain().then(() => {
        isWritten = true;
      });
      await until(
        'a redirected command',
        () => redirectsOf(from),
        count => count > before,
      );
      assert.equal(isWritten, false);
      await move(BUCKET_KEYS.filter(key => key !== moved));
      for (const node of [to, from, ...cluster.masters])
        await node.command('CLUSTER', 'SETSLOT', String(SLOT), 'NODE', to.id);
      await written;
      await cluster.settled();
      await assertStored(store, 'new');
      assert.deepEqual(failures, []);
      await store.close();
    });
  }
}
