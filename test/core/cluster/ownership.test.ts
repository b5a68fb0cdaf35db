import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ALL_BUCKETS, SERVER_BUCKETS } from '../../../core/cluster/buckets.ts';
import { runCampaign, runFaults } from './campaign.ts';
import { Simulation } from './simulation.ts';

/** A time that is longer than the lease of a core in the cluster, in milliseconds. */
const LONG_MS = 9_000;

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

test('a core stops trying to take the buckets (groups of servers) of a killed core if another core takes them', async () => {
  const cluster = new Simulation({ cores: 3, seed: 10 });
  await cluster.settle();
  const areTaking = () => cluster.cores.map(({ membership }) => membership?.isTaking);
  const [core] = cluster.cores;
  assert.ok(core);
  cluster.engine.canTake = false;
  cluster.kill(core);
  await cluster.run(LONG_MS);
  assert.deepEqual(areTaking(), [true, true]);
  cluster.start(0);
  await cluster.run(2_000);
  cluster.engine.canTake = true;
  await cluster.settle();
  assert.deepEqual(areTaking(), [false, false, false]);
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

test('a core that freezes for longer than its cluster lease owns no buckets (groups of servers) afterwards, and reports the lost lease', async () => {
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

test('while no database replica confirms writes to the owner table, cores still take over the buckets (groups of servers) of a killed core', async () => {
  const cluster = new Simulation({ cores: 3, seed: 6 });
  await cluster.settle();
  cluster.table.cutReplicas();
  const [core] = cluster.cores;
  assert.ok(core);
  cluster.kill(core);
  await cluster.settle();
  assert.deepEqual([cluster.lost, cluster.cores.length], [0, 2]);
  // `cutReplicas` copies the owner table to the replicas, and then stops the replication. `failOver` makes a replica
  // the master. There is no write between these two calls, so the failover loses nothing.
  cluster.table.cutReplicas();
  cluster.table.failOver();
  await cluster.settle();
  assert.deepEqual([cluster.lost, cluster.cores.length], [0, 2]);
});

/** Returns the number of buckets (groups of servers) that the cores of a cluster serve, summed over all cores. */
const served = ({ cores }: Simulation): number =>
  cores.reduce((sum, { ownership }) => sum + (ownership?.ownedBuckets ?? 0), 0);

for (const isFailover of [true, false]) {
  const end = isFailover ? 'a failover' : 'the return of the same database node';
  test(`each core serves the same buckets (groups of servers) before and after an outage of the owner table (the outage ends with ${end})`, async () => {
    const cluster = new Simulation({ cores: 3, seed: 8 });
    await cluster.settle();
    const taken = cluster.takeovers;
    await cluster.withoutTable(async () => {
      await cluster.run(LONG_MS);
      assert.equal(served(cluster), 0);
      if (isFailover) cluster.table.failOver();
      // Reconnects one core to the owner table, one second before the other cores are reconnected.
      const [first] = cluster.cores;
      assert.ok(first);
      first.isCutOff = false;
      await cluster.run(1_000);
    });
    await cluster.run(1_000);
    assert.deepEqual([served(cluster), cluster.lost, cluster.takeovers], [ALL_BUCKETS, 0, taken]);
  });
}

test('if the clock of the owner table is set forward, each core serves the same buckets (groups of servers) as before', async () => {
  const cluster = new Simulation({ cores: 3, seed: 8 });
  await cluster.settle();
  const taken = cluster.takeovers;
  cluster.table.stepClock(LONG_MS);
  await cluster.run(1_000);
  assert.deepEqual([served(cluster), cluster.lost, cluster.takeovers], [ALL_BUCKETS, 0, taken]);
});

test('other cores take over the servers of a killed core within 7 seconds, even if the clock of the owner table is set back', async () => {
  const cluster = new Simulation({ cores: 4, seed: 4 });
  await cluster.settle();
  cluster.table.failOver();
  const { lead } = cluster;
  assert.ok(lead);
  cluster.longestGapMs = 0;
  cluster.kill(lead);
  cluster.table.stepClock(-3_600_000);
  await cluster.settle();
  assert.ok(cluster.longestGapMs < 7_100, `${cluster.longestGapMs} ms`);
});

test('the lease of a killed core ends even after repeated outages of the owner table (which lists the owners of servers)', async () => {
  const cluster = new Simulation({ cores: 2, seed: 8 });
  await cluster.settle();
  const [killed, core] = cluster.cores;
  assert.ok(killed);
  cluster.kill(killed);
  for (let outages = 0; outages < 2; outages++) {
    await cluster.withoutTable(() => cluster.run(LONG_MS));
    await cluster.run(1_000);
  }
  assert.deepEqual(core?.ownership?.members, [core?.self]);
});

test('if a failover undoes the transfer of buckets (groups of servers) to a new core, the old core transfers the buckets again', async () => {
  const join = async (atGive: (count: number, cluster: Simulation) => void): Promise<void> => {
    const cluster = new Simulation({ cores: 2, seed: 2 });
    await cluster.settle();
    const give = cluster.table.give.bind(cluster.table);
    let count = 0;
    cluster.table.give = (...given) => {
      atGive(++count, cluster);
      give(...given);
    };
    cluster.start(2);
    await cluster.settle();
  };
  let last = 0;
  await join(count => {
    last = count;
  });
  await join((count, cluster) => {
    if (count !== last) return;
    cluster.table.cutReplicas();
    // In this simulation, the core gets the reply to its change of the owner table within 6 ms. It reads the table
    // again after at least 50 ms. The failover after 10 ms comes between the reply and this read.
    cluster.clock.after(10, () => cluster.table.failOver());
  });
});

test('a core tells its listeners when its cluster lease ends, and when it has a valid lease again', async () => {
  const cluster = new Simulation({ cores: 2, seed: 4 });
  await cluster.settle();
  const ownership = cluster.cores[0]?.ownership;
  assert.ok(ownership);
  const told: boolean[] = [];
  ownership.watch(() => told.push(ownership.isValid));
  await cluster.withoutTable(() => cluster.run(LONG_MS));
  assert.deepEqual(told, [false]);
  await cluster.run(1_000);
  assert.equal(told.at(-1), true);
});

test('a core process stops if the owner table no longer assigns a loaded bucket (group of servers) to this core', async () => {
  const cluster = new Simulation({ cores: 1, seed: 7 });
  await cluster.settle();
  const [core] = cluster.cores;
  assert.ok(core);
  cluster.table.give(core.self.id, [{ bucket: 5, epoch: 1 }]);
  await cluster.run(1_000);
  assert.match(String(core.lost), /bucket 5 \(epoch 1\) does not belong to this core any more/);
});

test('if a failover undoes the takeover of buckets (groups of servers), no core stops and the takeover is repeated', async () => {
  const cluster = new Simulation({ cores: 2, seed: 7 });
  await cluster.settle();
  const claim = cluster.table.claim.bind(cluster.table);
  let lost = 0;
  cluster.table.claim = (...wanted) => {
    if (lost === 0) cluster.table.cutReplicas();
    const claimed = claim(...wanted);
    // In this simulation, the core gets the reply to its change of the owner table within 6 ms. The failover comes
    // after the reply.
    if (lost === 0) cluster.clock.after(10, () => cluster.table.failOver());
    lost ||= claimed.buckets.length;
    return claimed;
  };
  const before = [...cluster.cores];
  cluster.start(2);
  await cluster.settle();
  assert.ok(lost > 0);
  assert.deepEqual([cluster.lost, before.map(({ lost }) => lost)], [0, [undefined, undefined]]);
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
