import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { Child } from '../system/child.ts';
import { until } from '../system/until.ts';
import { EngineCluster } from './engine-cluster.ts';
import { enginesToTest } from './engine-program.ts';
import { refuses } from './refuses.ts';

for (const kind of enginesToTest()) {
  test(`${kind}: a paused master becomes a replica of its successor, and a restart of all nodes keeps the data`, async () => {
    const cluster = await EngineCluster.start(kind, { appendOnly: true });
    try {
      const master = cluster.ownerOf(0);
      const replica = cluster.replicaOf(master);
      cluster.pause(master);
      await cluster.settled();
      assert.equal(cluster.ownerOf(0), replica);
      cluster.resume(master);
      await cluster.settled();
      assert.equal(cluster.replicaOf(replica), master);
      // The key `{06S}` belongs to hash slot 0, so the master of slot 0 stores it.
      await cluster.ownerOf(0).command('SET', '{06S}', 'kept');
      await cluster.restartAll();
      assert.equal(await cluster.ownerOf(0).command('GET', '{06S}'), 'kept');
      assert.equal(cluster.masters.length, 3);
    } finally {
      await cluster.stop();
    }
  });

  test(`${kind}: a single node refuses a wrong password, and refuses writes above its memory limit`, async () => {
    const login = { user: 'gsq', password: 'test-of-the-engines' };
    const cluster = await EngineCluster.startSingle(kind, { login, maxMemory: 1 });
    try {
      const [node] = cluster.nodes;
      assert.ok(node);
      assert.equal(cluster.url, `redis://gsq:test-of-the-engines@127.0.0.1:${node.port}`);
      await assert.rejects(node.command('SET', 'a', 'b'), /OOM command not allowed/);
      await assert.rejects(node.command('AUTH', 'gsq', 'wrong'), /WRONGPASS/);
    } finally {
      await cluster.stop();
    }
  });
}

test('redis: a cluster with TLS and a password accepts writes over TLS, and copies them to a replica', async () => {
  const login = { password: 'test-of-the-engines' };
  const cluster = await EngineCluster.start('redis', { tls: true, login, minReplicasToWrite: 1 });
  try {
    assert.match(cluster.url, /^rediss:\/\/default:test-of-the-engines@127\.0\.0\.1:\d+,/);
    assert.ok(cluster.ca !== undefined && existsSync(cluster.ca));
    const answers = await cluster.ownerOf(0).commands(['SET', '{06S}', 'a'], ['WAIT', '1', '5000']);
    assert.deepEqual(answers, ['OK', 1]);
  } finally {
    await cluster.stop();
  }
});

test('a node of a storage engine ends when the test process that started it is killed', async () => {
  const child = await Child.start(process.execPath, () => [
    '--import',
    './runtime/typescript.mjs',
    'test/engines/lone-node.ts',
  ]);
  const port = () => Number(/^\d+$/m.exec(child.output)?.[0]);
  await until('a port', port, Number.isInteger);
  assert.equal(await refuses(port()), false);
  await child.stop('SIGKILL');
  await until('the end of the node', () => refuses(port()), Boolean);
});
