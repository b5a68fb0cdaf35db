import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ALL_BUCKETS, SERVER_BUCKETS } from '../../../core/cluster/buckets.ts';
import { runCampaign, runFaults } from './campaign.ts';
import { Simulation } from './simulation.ts';

test('cores that start at the same time divide all buckets (groups of servers) about equally between them', async () => {
  const cluster = new Simulation({ cores: 5, seed: 1 });
  await cluster.settle();
  assert.equal(cluster.lost, 0);
  assert.ok(Math.max(...cluster.loads) <= (SERVER_BUCKETS / 5) * 1.05 + 1, String(cluster.loads));
});

test('a core that loads several buckets (groups of servers) serves each bucket as soon as this bucket is loaded', async () => {
  const cluster = new Simulation({ cores: 1, seed: 8 });
  const owned = (): number => cluster.cores[0]?.ownership?.ownedBuckets ?? 0;
  while (owned() === 0) await cluster.run(1);
  assert.ok(owned() < ALL_BUCKETS / 2, String(owned()));
  await cluster.settle();
  assert.equal(owned(), ALL_BUCKETS);
});

test('if a new core joins a cluster of four cores, only about 20 % of the buckets (groups of servers) move', async () => {
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

test('while the storage engine refuses writes, no core gives buckets (groups of servers) to a new core', async () => {
  const cluster = new Simulation({ cores: 4, seed: 9 });
  await cluster.settle();
  cluster.engine.canWrite = false;
  cluster.longestGapMs = 0;
  const { takeovers } = cluster;
  const loads = cluster.loads.slice(0, 4);
  cluster.start(4);
  await cluster.run(3_000);
  assert.deepEqual(cluster.loads, [...loads, 0]);
  cluster.engine.canWrite = true;
  await cluster.settle();
  assert.ok(cluster.takeovers > takeovers);
  assert.ok(cluster.longestGapMs < 1_000, `${cluster.longestGapMs} ms`);
});

test('if a core is stopped gracefully, its buckets (groups of servers) are without an owner for less than a second', async () => {
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

for (const seed of [1, 2]) {
  test(`no bucket (group of servers) ever has two owners, despite killed cores, lost messages and database failovers (seed ${seed})`, async () => {
    const cluster = new Simulation({ cores: 6, seed, lossOneIn: 40 });
    await runFaults(cluster, 40);
    assert.ok(cluster.takeovers > 2 * ALL_BUCKETS, `${cluster.takeovers} takeovers`);
  });
}

test('if cores often join, stop and are killed, few buckets (groups of servers) move, and none stays without an owner', async () => {
  const cluster = new Simulation({ cores: 12, seed: 9 });
  const { moves, imbalance, longestGapMs } = await runCampaign(cluster, 5_000);
  for (const [kind, ratio] of Object.entries(moves)) assert.ok(ratio < 1.5, `${kind}: ${ratio}`);
  assert.ok(imbalance < 0.08, String(imbalance));
  assert.ok(longestGapMs < 10_000, String(longestGapMs));
  assert.equal(cluster.lost, 0);
});
