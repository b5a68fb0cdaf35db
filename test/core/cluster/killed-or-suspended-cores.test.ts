import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ALL_BUCKETS } from '../../../core/cluster/buckets.ts';
import { LONGER_THAN_LEASE_MS, Simulation } from './simulation.ts';

test('a core stops trying to take the buckets (groups of servers) of a killed core if another core takes them', async () => {
  const cluster = new Simulation({ cores: 3, seed: 10 });
  await cluster.settle();
  const areTaking = () => cluster.cores.map(({ membership }) => membership?.isTaking);
  const [core] = cluster.cores;
  assert.ok(core);
  cluster.engine.canTake = false;
  cluster.kill(core);
  await cluster.run(LONGER_THAN_LEASE_MS);
  assert.deepEqual(areTaking(), [true, true]);
  cluster.start(0);
  await cluster.run(2_000);
  cluster.engine.canTake = true;
  await cluster.settle();
  assert.deepEqual(areTaking(), [false, false, false]);
});

test('if a core is killed, other cores take over its buckets (groups of servers) within 7 seconds', async () => {
  const cluster = new Simulation({ cores: 4, seed: 4 });
  await cluster.settle();
  const { lead } = cluster;
  assert.ok(lead);
  cluster.longestGapMs = 0;
  cluster.kill(lead);
  await cluster.settle();
  assert.ok(cluster.longestGapMs < 7_100, `${cluster.longestGapMs} ms`);
});

test('a killed core that restarts with its data directory gets its buckets (groups of servers) back before its old cluster lease ends', async () => {
  const cluster = new Simulation({ cores: 4, seed: 4 });
  await cluster.settle();
  const { lead } = cluster;
  assert.ok(lead);
  cluster.longestGapMs = 0;
  const owned = lead.loaded.size;
  cluster.restart(lead);
  assert.equal(await cluster.settle(), owned);
  assert.ok(cluster.longestGapMs < 1_000, `${cluster.longestGapMs} ms`);
});

test('if a late message renews the old lease of a killed core, the restarted core ends this old lease again', async () => {
  const cluster = new Simulation({ cores: 3, seed: 4 });
  await cluster.settle();
  const { lead } = cluster;
  assert.ok(lead);
  cluster.restart(lead);
  await cluster.settle();
  cluster.renewLate(lead);
  await cluster.run(1_000);
  const members = cluster.cores.map(({ ownership }) => ownership?.members.map(({ id }) => id));
  assert.equal(members.length, 3);
  for (const ids of members) assert.ok(ids?.length === 3 && !ids.includes(lead.self.id), String(ids));
});

test('a core whose process is suspended for longer than its cluster lease owns no buckets (groups of servers) afterwards, and reports the lost lease', async () => {
  const cluster = new Simulation({ cores: 3, seed: 5 });
  await cluster.settle();
  const [core] = cluster.cores;
  assert.ok(core);
  core.freeze();
  await cluster.run(LONGER_THAN_LEASE_MS);
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
