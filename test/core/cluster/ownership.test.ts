import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ALL_BUCKETS, SERVER_BUCKETS } from '../../../core/cluster/buckets.ts';
import { runCampaign, runFaults } from './campaign.ts';
import { Simulation } from './simulation.ts';

/** A time that is longer than a lease, in milliseconds. */
const LONG_MS = 9_000;

test('cores that start at the same time share all buckets', async () => {
  const cluster = new Simulation({ cores: 5, seed: 1 });
  await cluster.settle();
  assert.equal(cluster.lost, 0);
  assert.ok(Math.max(...cluster.loads) <= (SERVER_BUCKETS / 5) * 1.05 + 1, String(cluster.loads));
});

test('if a core joins, only its own buckets move, each is without an owner for less than a second, and the lead stays', async () => {
  const cluster = new Simulation({ cores: 4, seed: 2 });
  await cluster.settle();
  const { lead } = cluster;
  cluster.longestGapMs = 0;
  cluster.start(4);
  const moved = await cluster.settle();
  assert.ok(moved <= (SERVER_BUCKETS / 5) * 1.1, `${moved} buckets moved`);
  assert.ok(cluster.longestGapMs < 1_000, `${cluster.longestGapMs} ms`);
  assert.equal(cluster.lead, lead);
});

test('if a core is stopped, its buckets are without an owner for less than a second', async () => {
  const cluster = new Simulation({ cores: 4, seed: 3 });
  await cluster.settle();
  const { lead } = cluster;
  assert.ok(lead);
  cluster.longestGapMs = 0;
  cluster.stop(lead);
  await cluster.settle();
  assert.ok(cluster.longestGapMs < 1_000, `${cluster.longestGapMs} ms`);
  assert.deepEqual([cluster.lost, cluster.cores.length], [0, 3]);
});

test('if a core is killed, other cores have its buckets within 8 seconds', async () => {
  const cluster = new Simulation({ cores: 4, seed: 4 });
  await cluster.settle();
  const { lead } = cluster;
  assert.ok(lead);
  cluster.longestGapMs = 0;
  cluster.kill(lead);
  await cluster.settle();
  assert.ok(cluster.longestGapMs < 8_000, `${cluster.longestGapMs} ms`);
});

test('a core that stands still for longer than its lease owns nothing when it continues, and has lost its lease', async () => {
  const cluster = new Simulation({ cores: 3, seed: 5 });
  await cluster.settle();
  const [core] = cluster.cores;
  assert.ok(core);
  core.freeze();
  await cluster.run(LONG_MS);
  const owned = (): number =>
    Array.from({ length: ALL_BUCKETS }, (_, i) => i).filter(i => core.owns(i)).length;
  assert.equal(owned(), 0);
  core.thaw();
  await cluster.run(1_000);
  await cluster.settle();
  assert.equal(owned(), 0);
  assert.match(String(core.lost), /^LeaseLost/);
  assert.deepEqual([cluster.lost, cluster.cores.length], [1, 2]);
});

test('cores keep their buckets while no replica confirms a renewal, but take none', async () => {
  const cluster = new Simulation({ cores: 3, seed: 6 });
  await cluster.settle();
  cluster.table.cutReplicas();
  const [core] = cluster.cores;
  assert.ok(core);
  cluster.kill(core);
  const taken = cluster.takeovers;
  await cluster.run(LONG_MS);
  assert.deepEqual([cluster.lost, cluster.takeovers], [0, taken]);
  // The replicas are back, and have everything.
  cluster.table.cutReplicas();
  cluster.table.failOver();
  await cluster.settle();
  assert.deepEqual([cluster.lost, cluster.cores.length], [0, 2]);
});

test('a core that has lost a bucket in the table ends, even if its lease has not ended', async () => {
  const cluster = new Simulation({ cores: 1, seed: 7 });
  await cluster.settle();
  const [core] = cluster.cores;
  assert.ok(core);
  cluster.table.give(core.self.id, [{ bucket: 5, epoch: 1 }]);
  await cluster.run(1_000);
  assert.match(String(core.lost), /bucket 5 does not belong to this core any more/);
});

for (const seed of [1, 2, 3, 17, 24]) {
  test(`no bucket has two owners while cores are started, stopped, killed and paused, messages are lost, and masters fail (seed ${seed})`, async () => {
    const cluster = new Simulation({ cores: 6, seed, lossOneIn: 40 });
    await runFaults(cluster, 40);
    assert.ok(cluster.takeovers > 2 * ALL_BUCKETS, `${cluster.takeovers} takeovers`);
  });
}

test('a long run of joins, stops and kills moves few buckets and leaves none without an owner', async () => {
  const cluster = new Simulation({ cores: 12, seed: 9 });
  const { moves, imbalance, longestGapMs } = await runCampaign(cluster, 5_000);
  for (const [kind, ratio] of Object.entries(moves)) assert.ok(ratio < 1.5, `${kind}: ${ratio}`);
  assert.ok(imbalance < 0.08, String(imbalance));
  assert.ok(longestGapMs < 10_000, String(longestGapMs));
  assert.equal(cluster.lost, 0);
});
