import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '../system/until.ts';
import { EngineCluster, type EngineOptions } from './engine-cluster.ts';
import { type EngineKind, enginesToTest } from './engine-program.ts';
import { entriesOf, insert, openRedisStore, put } from './redis-stores.ts';

const PASSWORD = 'the-password-of-the-engine';

/** Starts a single Redis or Valkey node, calls `use` with it, and stops the node afterwards. */
async function withNode(
  kind: EngineKind,
  options: EngineOptions,
  use: (cluster: EngineCluster, command: (...args: string[]) => Promise<unknown>) => Promise<void>,
): Promise<void> {
  const cluster = await EngineCluster.startSingle(kind, options);
  try {
    await use(
      cluster,
      (...args) => cluster.nodes[0]?.command(...args) ?? Promise.reject(new Error('no node')),
    );
  } finally {
    await cluster.stop();
  }
}

for (const kind of enginesToTest()) {
  test(`${kind}: a store refuses writes while the memory of its database node is full, and accepts writes after maxmemory is raised`, () =>
    withNode(kind, {}, async (cluster, command) => {
      const { store, failures } = await openRedisStore(cluster, 1);
      await store.commit([put('t/a')]);
      await command('CONFIG', 'SET', 'maxmemory', '1');
      const refused = {
        name: 'NoWrites',
        message: /memory of the storage engine is full: raise its maxmemory/,
      };
      await assert.rejects(store.commit([{ type: 'del', key: 't/a' }, put('t/b')]), refused);
      assert.deepEqual([store.failed, failures.length], [true, 1]);
      await assert.rejects(
        store.recover(async () => []),
        /OOM/,
      );
      await command('CONFIG', 'SET', 'maxmemory', '0');
      await store.recover(async () => []);
      assert.deepEqual(await entriesOf(store), [['t/a', 't/a']]);
      await store.commit([put('t/b')]);
      await store.close();
    }));

  test(`${kind}: a store can still write after its database node has lost the Lua scripts or has closed the connections`, () =>
    withNode(kind, {}, async (cluster, command) => {
      const { store, failures } = await openRedisStore(cluster, 1);
      await command('SCRIPT', 'FLUSH', 'SYNC');
      assert.equal(store.append(put('s/a')), true);
      await store.commit([put('t/a')]);
      await command('CLIENT', 'KILL', 'TYPE', 'normal');
      await store.commit([put('t/b')]);
      await command('CLIENT', 'KILL', 'TYPE', 'normal');
      assert.deepEqual(
        (await entriesOf(store)).map(([key]) => key),
        ['s/a', 't/a', 't/b'],
      );
      assert.deepEqual(failures, []);
      await store.close();
    }));

  test(`${kind}: when the database node closes a connection of a store, the store also stops the timer of this connection`, t =>
    withNode(kind, {}, async (cluster, command) => {
      const started = t.mock.method(globalThis, 'setInterval');
      const stopped = t.mock.method(globalThis, 'clearInterval');
      const left = (): unknown[] => {
        const ended = new Set<unknown>(stopped.mock.calls.map(({ arguments: [timer] }) => timer));
        return started.mock.calls.map(({ result }) => result).filter(timer => !ended.has(timer));
      };
      const { store } = await openRedisStore(cluster, 1);
      assert.equal(left().length, 1);
      await command('CLIENT', 'KILL', 'TYPE', 'normal');
      await until(
        'the end of the timer',
        () => left().length,
        count => count === 0,
      );
      await store.close();
    }));

  test(`${kind}: if the database node with an append-only file restarts, its store can still write, and loses no data`, () =>
    withNode(kind, { appendOnly: true }, async cluster => {
      const { store, lost } = await openRedisStore(cluster, 1);
      await store.commit([put('t/a')]);
      const restarted = cluster.nodes[0]?.restart();
      await store.commit([put('t/b')]);
      await restarted;
      assert.deepEqual(
        (await entriesOf(store)).map(([key]) => key),
        ['t/a', 't/b'],
      );
      assert.deepEqual(lost, []);
      await store.close();
    }));

  test(`${kind}: opening a store with a wrong password in its URL fails, and no error contains the password`, () =>
    withNode(kind, { login: { user: 'gsq', password: PASSWORD } }, async (cluster, command) => {
      const { store } = await openRedisStore(cluster, 1);
      await store.commit([put('t/a')]);
      const wrong = { url: cluster.url.replace(PASSWORD, 'a-wrong-password') };
      await assert.rejects(openRedisStore(wrong, 2), (error: Error) => {
        assert.match(error.message, /^the store at redis:\/\/127\.0\.0\.1:\d+ cannot be opened: WRONGPASS/);
        assert.doesNotMatch(`${error.stack} ${JSON.stringify(error)}`, /a-wrong-password/);
        return true;
      });
      const without = { url: cluster.url.replace(/\/\/.*@/, '//') };
      await assert.rejects(openRedisStore(without, 2), /NOAUTH/);
      assert.match(String(await command('GET', 'gsq:{0}:f')), /^1 /);
      await store.close();
    }));

  test(`${kind}: opening a store fails if its database node does not listen, or if the node may evict data`, () =>
    withNode(kind, {}, async (cluster, command) => {
      const closed = { url: 'redis://127.0.0.1:1' };
      await assert.rejects(
        openRedisStore(closed, 1),
        /redis:\/\/127\.0\.0\.1:1 cannot be opened: .*ECONNREFUSED/,
      );
      const { store } = await openRedisStore(cluster, 1, { parameters: '?replicas=1' });
      await assert.rejects(store.insertIfAbsent([insert('s/a')]), /0 of 1 replicas have the write/);
      await store.close();
      await command('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru');
      await assert.rejects(openRedisStore(cluster, 1), { name: 'UnusableEngine', message: /noeviction/ });
    }));
}

test('valkey: a store with aof=yes in its URL acknowledges a write only when it is in the append-only file of the database node', () =>
  withNode('valkey', { appendOnly: true }, async cluster => {
    const { store } = await openRedisStore(cluster, 1, { parameters: '?aof=yes' });
    await store.commit([put('t/a')]);
    await cluster.nodes[0]?.kill();
    await cluster.nodes[0]?.start();
    assert.deepEqual(await entriesOf(store), [['t/a', 't/a']]);
    await store.close();
  }));

test('redis: a store cannot write while its database node is silent; when the node answers again, recover() repairs the store', () =>
  withNode('redis', { login: { password: PASSWORD } }, async cluster => {
    const { store, failures } = await openRedisStore(cluster, 1);
    const [node] = cluster.nodes;
    assert.ok(node);
    cluster.pause(node);
    const silence = new RegExp(`127\\.0\\.0\\.1:${node.port} does not answer`);
    await assert.rejects(store.commit([put('t/a')]), { name: 'NoWrites', message: silence });
    assert.equal(failures.length, 1);
    await assert.rejects(
      store.recover(async () => []),
      silence,
    );
    cluster.resume(node);
    await store.recover(async () => [put('t/a')]);
    await store.commit([put('t/b')]);
    assert.deepEqual(
      (await entriesOf(store)).map(([key]) => key),
      ['t/a', 't/b'],
    );
    await store.close();
  }));

test('redis: opening a store with aof=yes in its URL fails on a Redis older than 7.2', () =>
  withNode('redis', { appendOnly: true }, async cluster => {
    await assert.rejects(openRedisStore(cluster, 1, { parameters: '?aof=yes' }), /aof=yes needs Redis 7\.2/);
  }));

test('redis: a store reads and writes over TLS on a cluster that requires TLS and a password', async () => {
  const cluster = await EngineCluster.start('redis', { tls: true, login: { password: PASSWORD } });
  try {
    const { store } = await openRedisStore(cluster, 1, { parameters: `?ca=${cluster.ca}` });
    await store.commit([put('t/a'), put('s/b')]);
    assert.deepEqual(
      (await entriesOf(store)).map(([key]) => key),
      ['s/b', 't/a'],
    );
    await store.close();
    await assert.rejects(openRedisStore(cluster, 2), /certificate/);
  } finally {
    await cluster.stop();
  }
});
