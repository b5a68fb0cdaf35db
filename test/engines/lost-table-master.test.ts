import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { ALL_BUCKETS } from '../../core/cluster/buckets.ts';
import { LEASE_MS } from '../../core/cluster/member-lease.ts';
import { TABLE_KEYS } from '../../core/store/redis/table-scripts.ts';
import { fetchServers } from '../contract/grpc.ts';
import { createToken } from '../contract/tokens.ts';
import { until } from '../system/until.ts';
import { CoreGroup, metricsOf } from './core-group.ts';
import { EngineCluster } from './engine-cluster.ts';
import { type EngineKind, enginesToTest } from './engine-program.ts';

/**
 * Hash slot in which the storage engine keeps the owner table (which core owns which servers). The keys of the table
 * all have the hash tag `0`. Therefore the hash slot is the CRC16 of `0`, modulo 16,384.
 */
const SLOT = 13_907;
const CORES = 2;
/**
 * The test reads repeatedly how many buckets (groups of servers) each core owns. After this number of equal readings,
 * it assumes that no bucket moves any more.
 */
const SAME_LOOKS = 60;
const KNOWN = Array.from({ length: 40 }, (_, i) => `127.0.0.${i + 1}:27015`);
/**
 * Time for which the master is down, ms. This time is longer than the lease of a core. So if a core cannot renew its
 * lease, it ends before the master is back.
 */
const AWAY_MS = 2.5 * LEASE_MS;

const bucketsIn = (metrics: string): number => Number(/^gsq_cluster_buckets (\d+)$/m.exec(metrics)?.[1]);

/** Two cores that share one storage engine, and track the servers in KNOWN. */
interface TwoCores {
  cluster: EngineCluster;
  group: CoreGroup;
  /** Fetches servers through the core at this address. The core inserts the servers that gsq does not track yet. */
  fetchFrom(address: string, servers: readonly string[]): Promise<{ results: number; inserted: number }>;
  /** The gRPC addresses of the cores. */
  addresses: readonly string[];
}

async function startCores(t: TestContext, kind: EngineKind): Promise<TwoCores> {
  const cluster = await EngineCluster.start(kind);
  t.after(() => cluster.stop());
  const group = await CoreGroup.start({ engine: cluster, cores: CORES });
  t.after(() => group.stop());
  // Waits until no bucket of data moves between the cores. Such a move could not finish after the test has killed the
  // master, because the new master has no replica.
  let last = '';
  let same = 0;
  await until(
    'cores that own all buckets and move none',
    async () => (await Promise.all(group.cores.map(metricsOf))).map(bucketsIn),
    counts => {
      same = String(counts) === last ? same + 1 : 0;
      last = String(counts);
      return same >= SAME_LOOKS && counts.reduce((sum, count) => sum + count, 0) === ALL_BUCKETS;
    },
  );
  const addresses = group.cores.map(core => core.address('GSQ_GRPC_ADDR'));
  const fetchFrom = async (address: string, servers: readonly string[]) => {
    const { results, meta } = await fetchServers(address, {
      servers: [{ gameId: 'csgo', servers: [...servers] }],
    });
    return { results: results.length, inserted: meta?.insertedServers?.length ?? 0 };
  };
  assert.equal((await fetchFrom(addresses[0] ?? '', KNOWN)).inserted, KNOWN.length);
  return { cluster, group, fetchFrom, addresses };
}

/**
 * Waits until the cores have acknowledged inserts on all masters of the storage engine. Then checks that all cores are
 * still running.
 */
async function checkInserts({ group, fetchFrom, addresses }: TwoCores): Promise<void> {
  let host = 0;
  await until(
    'acknowledged inserts into all parts of the engine',
    async () => {
      host++;
      const news = Array.from({ length: 40 }, (_, i) => `127.1.${host}.${i + 1}:27015`);
      return (await fetchFrom(addresses[0] ?? '', news)).inserted;
    },
    inserted => inserted === 40,
  );
  assert.ok(
    group.cores.every(({ child }) => child.running),
    group.report,
  );
}

for (const kind of enginesToTest(['valkey'])) {
  test(`${kind}: if the database master that stores the owners of the servers dies, cores still answer fetches`, async t => {
    const cores = await startCores(t, kind);
    const { cluster, group, fetchFrom, addresses } = cores;
    const master = cluster.ownerOf(SLOT);
    await cluster.kill(master);
    let rounds = 0;
    for (const until = performance.now() + AWAY_MS; performance.now() < until; rounds++) {
      for (const [i, address] of addresses.entries()) {
        assert.ok(group.cores[i]?.child.running, group.report);
        assert.deepEqual(await fetchFrom(address, KNOWN), { results: KNOWN.length, inserted: 0 });
      }
    }
    assert.ok(rounds > 10, `${rounds} rounds`);
    await master.start();
    await checkInserts(cores);
  });

  test(`${kind}: if the database master that stores the owners of the servers hangs, cores use the new master`, async t => {
    const cores = await startCores(t, kind);
    const { cluster, group, fetchFrom, addresses } = cores;
    const master = cluster.ownerOf(SLOT);
    cluster.pause(master);
    // Fetches servers through each core while the master is paused. The pause is longer than the lease of a core. At
    // the end, each core must answer.
    const answered = new Set<string>();
    for (const until = performance.now() + AWAY_MS; performance.now() < until; )
      for (const address of addresses) {
        answered.delete(address);
        const { results } = await fetchFrom(address, KNOWN).catch(() => ({ results: 0 }));
        if (results === KNOWN.length) answered.add(address);
      }
    assert.equal(answered.size, CORES, group.report);
    assert.ok(
      group.cores.every(({ child }) => child.running),
      group.report,
    );
    cluster.resume(master);
    await checkInserts(cores);
  });

  test(`${kind}: tokens can be created again after the database has lost the owner table`, async t => {
    const { cluster, group } = await startCores(t, kind);
    await cluster.ownerOf(SLOT).command('DEL', ...TABLE_KEYS);
    const isNoticed = (report: string): boolean => /a failover has lost that this core acquired/.test(report);
    await until('a core that notices the loss', () => group.report, isNoticed);
    for (const address of group.internal) {
      await until(
        'a new token',
        async () => {
          // The core that wrote the tokens ends. An operator's service manager starts it again.
          for (const [i, { child }] of group.cores.entries()) if (!child.running) await group.startCore(i);
          return createToken(address, { tier: 'PRO' }).catch(() => undefined);
        },
        token => token !== undefined,
        60_000,
      );
    }
  });
}
