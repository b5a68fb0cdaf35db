import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ALL_BUCKETS } from '../../../core/cluster/buckets.ts';
import { runFaults } from './campaign.ts';
import { Simulation } from './simulation.ts';

for (const seed of [3, 17, 24]) {
  test(`no bucket (group of servers) ever has two owners, despite killed cores, lost messages and database failovers (seed ${seed})`, async () => {
    const cluster = new Simulation({ cores: 6, seed, lossOneIn: 40 });
    await runFaults(cluster, 40);
    assert.ok(cluster.takeovers > 2 * ALL_BUCKETS, `${cluster.takeovers} takeovers`);
  });
}
