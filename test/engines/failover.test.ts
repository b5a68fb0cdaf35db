import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EngineCluster } from './engine-cluster.ts';
import { enginesToTest } from './engine-program.ts';

/** Hash slot of the Redis key `gsq:{0}:s`: the CRC16 of `0`, modulo 16,384. */
const SLOT = 13_907;

for (const kind of enginesToTest()) {
  test(`${kind}: if a master is killed, its replica takes over with every write that WAIT confirmed`, async () => {
    const cluster = await EngineCluster.start(kind);
    try {
      const master = cluster.ownerOf(SLOT);
      const replica = cluster.replicaOf(master);
      assert.deepEqual(await master.commands(['HSET', 'gsq:{0}:s', 'a', 'b'], ['WAIT', '1', '5000']), [1, 1]);
      await cluster.kill(master);
      await cluster.settled();
      assert.equal(cluster.ownerOf(SLOT), replica);
      assert.equal(await replica.command('HGET', 'gsq:{0}:s', 'a'), 'b');
    } finally {
      await cluster.stop();
    }
  });
}
