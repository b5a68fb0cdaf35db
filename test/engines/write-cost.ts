/**
 * Measures the CPU time of status writes and of loading servers, on a Redis and on a Valkey cluster. Prints
 * microseconds per write or server, separately for masters, replicas and this process:
 *
 *   node --import ./runtime/typescript.mjs test/engines/write-cost.ts
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { RedisStore } from '../../core/store/redis/redis-store.ts';
import type { Operation } from '../../core/store/storage-engine.ts';
import { EngineCluster } from './engine-cluster.ts';
import type { EngineNode } from './engine-node.ts';
import { ENGINE_KINDS } from './engine-program.ts';
import { openRedisStore } from './redis-stores.ts';

const SERVERS = 20_000;
const LOADED_SERVERS = 100_000;
const COMMIT = 10_000;
const WRITES = 200_000;
const RECORD = Buffer.alloc(480, 'x');
/**
 * The measurement with steady writes simulates 20,000 servers that are probed once a minute: 333 status writes a
 * second. Every PACE_MS / 4 milliseconds, the program sends those writes that are due.
 */
const PACE_MS = 20;
const PACED_WRITES = 3_000;

const statusOf = (server: number): Operation => ({
  type: 'put',
  key: `s/csgo 10.${server >> 16}.${(server >> 8) & 255}.${server & 255}:27015`,
  value: RECORD,
});

/** Returns the total CPU time of database nodes since their start, in microseconds. */
async function cpuOf(nodes: readonly EngineNode[]): Promise<number> {
  const infos = await Promise.all(nodes.map(node => node.command('INFO', 'cpu')));
  const seconds = infos.map(info => {
    const field = (name: string) => Number(new RegExp(`${name}:([\\d.]+)`).exec(String(info))?.[1]);
    return field('used_cpu_user') + field('used_cpu_sys');
  });
  return seconds.reduce((a, b) => a + b, 0) * 1e6;
}

async function measure(what: string, cluster: EngineCluster, writes: number, run: () => Promise<void>) {
  const replicas = cluster.nodes.filter(({ role }) => role === 'replica');
  const before = await Promise.all([cpuOf(cluster.masters), cpuOf(replicas)]);
  const own = process.cpuUsage();
  const began = performance.now();
  await run();
  const seconds = (performance.now() - began) / 1000;
  const { user, system } = process.cpuUsage(own);
  const after = await Promise.all([cpuOf(cluster.masters), cpuOf(replicas)]);
  const [masters, copies, client] = [
    (after[0] - before[0]) / writes,
    (after[1] - before[1]) / writes,
    (user + system) / writes,
  ].map(each => each.toFixed(2));
  process.stdout.write(
    `${cluster.kind} ${what}: masters ${masters}, replicas ${copies}, client ${client} µs; ` +
      `${Math.round(writes / seconds)} a second\n`,
  );
}

/**
 * Changes the status of servers as fast as the write queue of the store accepts it. `writes`: number of changes.
 * Resolves when the cluster has stored all of them.
 */
async function appendAll(store: RedisStore, writes: number): Promise<void> {
  for (let i = 0; i < writes; i++) {
    while (!store.append(statusOf(i % SERVERS))) await new Promise(setImmediate);
  }
  await store.commit([]);
}

async function appendPaced(store: RedisStore): Promise<void> {
  const began = performance.now();
  for (let i = 0; i < PACED_WRITES; ) {
    const due = Math.min(PACED_WRITES, ((performance.now() - began) * SERVERS) / 60_000);
    for (; i < due; i++) store.append(statusOf((i * 7919) % SERVERS));
    await pause(PACE_MS / 4);
  }
  await store.commit([]);
}

for (const kind of ENGINE_KINDS) {
  const cluster = await EngineCluster.start(kind);
  try {
    const { store } = await openRedisStore(cluster, 1);
    await appendAll(store, SERVERS);
    await measure('at full speed', cluster, WRITES, () => appendAll(store, WRITES));
    await measure('20,000 servers a minute', cluster, PACED_WRITES, () => appendPaced(store));
    const idleMs = (PACED_WRITES * 60_000) / SERVERS;
    await measure('the same time without writes', cluster, PACED_WRITES, () => pause(idleMs));
    const commits = Array.from({ length: LOADED_SERVERS / COMMIT }, (_, i) =>
      Array.from({ length: COMMIT }, (_, j) => statusOf(i * COMMIT + j)),
    );
    await measure('commits of 10,000', cluster, LOADED_SERVERS, async () => {
      for (const operations of commits) await store.commit(operations);
    });
    let loaded = 0;
    await measure('loading of 100,000', cluster, LOADED_SERVERS, () => store.readAll('s/', () => loaded++));
    if (loaded !== LOADED_SERVERS) throw new Error(`${loaded} servers were loaded`);
    await store.close();
  } finally {
    await cluster.stop();
  }
}
process.exit(0);
