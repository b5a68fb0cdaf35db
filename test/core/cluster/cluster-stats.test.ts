import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { Peers } from '../../../core/cluster/peers.ts';
import { ClusterStats } from '../../../core/ops/cluster-stats.ts';
import type { ServiceStatus } from '../../../core/rpc/service-status.ts';
import { statsPart } from '../../../core/rpc/stats-part.ts';
import type { GetStatsResponse__Output } from '../../../proto/generated/gsq/v1/GetStatsResponse.ts';
import { servedCores } from './served-cores.ts';

/**
 * Returns example statistics of one core, with a different number in each field. `scale`: factor for most of the
 * numbers, so that the cores of a test report different statistics.
 */
function statsOf(scale: number, change: Partial<GetStatsResponse__Output> = {}): GetStatsResponse__Output {
  return {
    ...{ tracked: 100 * scale, pending: scale, online: 90 * scale, offline: 9 * scale, leased: 2 * scale },
    ...{ probers: 2, tokens: 5, version: `0.${scale}.0`, startedAt: { seconds: scale, nanos: 0 } },
    ...{ fetches: 20 * scale, fetchesRefused: 3 * scale, fetchesInFlight: 4 * scale },
    ...{ probes: 50 * scale, probesOnline: 40 * scale, scheduleLagSeconds: scale / 2, frozen: false },
    ...{ unproven: 6 * scale, storeHealthy: true, storeBytes: 7_000 * scale, diskFreeBytes: 8_000 * scale },
    labels: [
      { label: 'FIREWALL_LABEL_RATE_LIMITED', servers: 11 * scale },
      { label: 'FIREWALL_LABEL_FILTERED', servers: 12 * scale },
    ],
    games: [{ gameId: 'csgo', servers: 100 * scale }],
    ...change,
  };
}

function statusOf(change: Partial<ServiceStatus> = {}): ServiceStatus {
  return { probers: 2, scheduleLagSeconds: 0.5, outage: false, storeHealthy: true, limited: 10, ...change };
}

interface Numbers {
  stats: GetStatsResponse__Output;
  status: ServiceStatus;
}

/**
 * Starts a simulated cluster. `cores`: statistics of each core. The returned `stats` reads the statistics of the whole
 * cluster.
 */
async function clusterWith(t: TestContext, cores: readonly Numbers[]) {
  const sources = cores.map(({ stats, status }) => ({
    stats: { readWhole: async () => stats },
    status: () => status,
  }));
  const served = await servedCores(
    t,
    sources.map(source => handlers => statsPart(source, handlers)),
  );
  const [own] = sources;
  assert.ok(own);
  return { ...served, stats: new ClusterStats({ ...own, peers: served.peers[0] as Peers }) };
}

describe('the statistics of a cluster', () => {
  it('are sums over all cores for most values, for example the number of tracked servers', async t => {
    const second = statsOf(10, { probers: 3, frozen: true, tokens: 4 });
    const { stats } = await clusterWith(t, [
      { stats: statsOf(1), status: statusOf() },
      { stats: second, status: statusOf() },
      { stats: statsOf(100, { scheduleLagSeconds: 0 }), status: statusOf() },
    ]);
    assert.deepEqual(
      await stats.read(10),
      statsOf(111, {
        ...{ probers: 3, scheduleLagSeconds: 5, frozen: true, tokens: 5 },
        ...{ version: '0.1.0', startedAt: { seconds: 1, nanos: 0 } },
      }),
    );
  });

  it('list the games with the most servers on all cores together', async t => {
    const games = (...counts: number[]) =>
      counts.map((servers, i) => ({ gameId: `game-${i}`, servers })).sort((a, b) => b.servers - a.servers);
    const { stats } = await clusterWith(t, [
      { stats: statsOf(1, { games: games(9, 8, 6) }), status: statusOf() },
      { stats: statsOf(1, { games: games(0, 1, 7) }), status: statusOf() },
    ]);
    assert.deepEqual((await stats.read(2)).games, [
      { gameId: 'game-2', servers: 13 },
      { gameId: 'game-0', servers: 9 },
    ]);
  });

  it('report the store as not healthy if a core does not answer, and leave out the numbers of this core', async t => {
    const core = { stats: statsOf(1), status: statusOf() };
    const { stats, kill, remove } = await clusterWith(t, [core, core, core]);
    const totals = async () => {
      const { tracked, storeHealthy } = await stats.read(10);
      const status = await stats.readStatus();
      return [tracked, storeHealthy, status.limited, status.storeHealthy];
    };
    assert.deepEqual(await totals(), [300, true, 30, true]);
    await kill(1);
    assert.deepEqual(await totals(), [200, false, 20, false]);
    remove(1);
    assert.deepEqual(await totals(), [200, true, 20, true]);
  });
});

describe('the status of a cluster', () => {
  it('contains the worst health values of all cores, and the total number of game servers whose hosts limit or filter queries', async t => {
    const stats = statsOf(1);
    const { stats: cluster } = await clusterWith(t, [
      { stats, status: statusOf() },
      { stats, status: statusOf({ probers: 4, storeHealthy: false, limited: 1 }) },
      { stats, status: statusOf({ scheduleLagSeconds: 7.5, outage: true }) },
    ]);
    assert.deepEqual(await cluster.readStatus(), {
      ...{ probers: 4, scheduleLagSeconds: 7.5, outage: true, storeHealthy: false, limited: 21 },
    });
  });
});
