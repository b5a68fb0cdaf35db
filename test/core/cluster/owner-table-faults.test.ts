import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ALL_BUCKETS } from '../../../core/cluster/buckets.ts';
import { LONGER_THAN_LEASE_MS, Simulation } from './simulation.ts';

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
      await cluster.run(LONGER_THAN_LEASE_MS);
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
  cluster.table.stepClock(LONGER_THAN_LEASE_MS);
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
    await cluster.withoutTable(() => cluster.run(LONGER_THAN_LEASE_MS));
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
  await cluster.withoutTable(() => cluster.run(LONGER_THAN_LEASE_MS));
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
