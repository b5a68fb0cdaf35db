/**
 * Measures the CPU time of cores for fetches and for the status writes of a cluster of cores:
 *
 *   node --import ./runtime/typescript.mjs test/engines/cluster-cost.ts [rounds]
 *
 * Compares one core with the embedded store and one, two and three cores with one Valkey. In each round, every fetch is
 * measured once. Prints the median of the rounds and the range, in microseconds of CPU time for each fetch.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { bucketOf, SERVER_BUCKETS } from '../../core/cluster/buckets.ts';
import { LevelDbStore } from '../../core/store/leveldb/leveldb-store.ts';
import type { RedisStore } from '../../core/store/redis/redis-store.ts';
import type { Operation } from '../../core/store/storage-engine.ts';
import { gsqV1 } from '../../proto/descriptors.ts';
import type { GrpcLoad, GrpcLoadResult } from '../bench/grpc-load.ts';
import { inTurn, median } from '../bench/rounds.ts';
import { metadata } from '../bench/sections/grpc.ts';
import { settings } from '../bench/service.ts';
import { addressAt, gameAt, games, writeTrackedServers } from '../bench/tracked-servers.ts';
import { Worker } from '../bench/worker.ts';
import { scratchDirectory } from '../system/scratch-directory.ts';
import { CoreGroup } from './core-group.ts';
import { EngineCluster } from './engine-cluster.ts';
import type { EngineNode } from './engine-node.ts';
import { openMember } from './opened-member.ts';
import { ownedAddresses } from './owned-addresses.ts';
import { openRedisStore } from './redis-stores.ts';

const ROUNDS = Number(process.argv[2] ?? 7);
const TRACKED = 8_000;
const SECONDS = 1.5;
/** Number of different requests of a load. */
const REQUESTS = 128;
const STREAMS = 4;
const IN_FLIGHT = 128;
const GAME = gameAt(0);
const { FetchStream } = gsqV1.ServerService.service;

/** CPU time of each core of a group for a fetch, in microseconds. */
type Costs = readonly number[];

/** Returns encoded fetches of `size` servers each. */
function fetchesOf(addresses: readonly string[], size: number): Uint8Array[] {
  return Array.from({ length: REQUESTS }, (_, i) => {
    const servers = Array.from(
      { length: size },
      (_, j) => addresses[(i * size + j) % addresses.length] ?? '',
    );
    return FetchStream.requestSerialize({
      calls: [{ id: REQUESTS + i, fetch: { servers: [{ gameId: GAME, servers }] } }],
    });
  });
}

/**
 * Returns the CPU time of a process since its start, in microseconds: the sum of its threads. It is more exact than
 * /proc/<pid>/stat, which counts ticks of 10 ms.
 */
function cpuOf(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  const times = threads.map(
    thread => readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'latin1').split(' ')[0],
  );
  return times.reduce((sum, nanoseconds) => sum + Number(nanoseconds) / 1000, 0);
}

/** Fetches through one core of a group. Resolves to the cost for each core of the group, in their order. */
async function costOf(
  load: Worker<GrpcLoad, GrpcLoadResult>,
  group: CoreGroup,
  entry: number,
  requests: readonly Uint8Array[],
): Promise<Costs> {
  const cpu = () => group.cores.map(({ child }) => cpuOf(child.pid));
  const before = cpu();
  const { calls } = await load.ask({
    address: group.cores[entry]?.address('GSQ_GRPC_ADDR') ?? '',
    ...{
      path: FetchStream.path,
      requests,
      metadata,
      streams: STREAMS,
      inFlight: IN_FLIGHT,
      seconds: SECONDS,
    },
  });
  return cpu().map((after, i) => (after - (before[i] ?? 0)) / calls);
}

/** Returns the CPU time that each core of a group without calls uses in a second, in microseconds. */
async function idleCostOf(group: CoreGroup): Promise<Costs> {
  const before = group.cores.map(({ child }) => cpuOf(child.pid));
  const began = performance.now();
  await pause(SECONDS * 1000);
  const seconds = (performance.now() - began) / 1000;
  return group.cores.map(({ child }, i) => (cpuOf(child.pid) - (before[i] ?? 0)) / seconds);
}

/** Copies all servers of a data directory to a storage engine. */
async function copyServers(directory: string, engine: EngineCluster): Promise<void> {
  const level = await LevelDbStore.open(join(directory, 'leveldb'), error => {
    throw error;
  });
  const operations: Operation[] = [];
  for await (const [key, value] of level.entries('s/')) operations.push({ type: 'put', key, value });
  await level.close();
  const member = await openMember(engine.url, '127.0.0.1:1');
  while (member.taken.length < SERVER_BUCKETS) await pause(20);
  await member.store.commit(operations);
  await member.close();
}

const text = (costs: readonly Costs[], core: number): string => {
  const values = costs.map(each => each[core] ?? Number.NaN).sort((a, b) => a - b);
  return `${median(values)?.toFixed(1)} (${values[0]?.toFixed(1)}–${values.at(-1)?.toFixed(1)})`;
};

async function measureFetches(): Promise<void> {
  const directory = scratchDirectory();
  await writeTrackedServers(directory, TRACKED);
  const load = await Worker.start<GrpcLoad, GrpcLoadResult>(
    new URL('../bench/grpc-load.ts', import.meta.url),
  );
  const engines: EngineCluster[] = [];
  const groups: CoreGroup[] = [];
  try {
    for (const cores of [1, 2, 3]) {
      const engine = await EngineCluster.startSingle('valkey');
      engines.push(engine);
      await copyServers(directory, engine);
      groups.push(await CoreGroup.start({ engine, cores, env: settings }));
    }
    const embedded = await CoreGroup.start({ engine: undefined, cores: 1, env: settings, directory });
    groups.push(embedded);
    const [one, two, three] = groups;
    if (!one || !two || !three) throw new Error('a group is missing');
    const all = Array.from({ length: TRACKED / games.length }, (_, i) => addressAt(i * games.length));
    const ofTwo = fetchesOf(await ownedAddresses(two.internal[0] ?? '', GAME, all), 1);
    const ofThree = fetchesOf(await ownedAddresses(three.internal[0] ?? '', GAME, all), 1);
    const hundred = fetchesOf(all, 100);
    const variants: Record<string, () => Promise<Costs>> = {
      'embedded, 1 core, a second without calls': () => idleCostOf(embedded),
      'Valkey, 1 core, a second without calls': () => idleCostOf(one),
      'Valkey, 3 cores, a second without calls': () => idleCostOf(three),
      'embedded, 1 core, fetch 1': () => costOf(load, embedded, 0, ofThree),
      'Valkey, 1 core, fetch 1': () => costOf(load, one, 0, ofThree),
      'Valkey, 2 cores, fetch 1, owned by entry': () => costOf(load, two, 0, ofTwo),
      'Valkey, 3 cores, fetch 1, owned by entry': () => costOf(load, three, 0, ofThree),
      'Valkey, 2 cores, fetch 1, owned by core 0, entry core 1': () => costOf(load, two, 1, ofTwo),
      'Valkey, 3 cores, fetch 1, owned by core 0, entry core 1': () => costOf(load, three, 1, ofThree),
      'embedded, 1 core, fetch 100': () => costOf(load, embedded, 0, hundred),
      'Valkey, 1 core, fetch 100': () => costOf(load, one, 0, hundred),
      'Valkey, 2 cores, fetch 100, entry core 0': () => costOf(load, two, 0, hundred),
      'Valkey, 3 cores, fetch 100, entry core 0': () => costOf(load, three, 0, hundred),
    };
    for (const [name, costs] of Object.entries(await inTurn(variants, ROUNDS))) {
      const cores = costs[0]?.map((_, core) => `core ${core}: ${text(costs, core)} µs`);
      process.stdout.write(`${name}: ${cores?.join(', ')}\n`);
    }
  } finally {
    await load.stop();
    for (const group of groups) await group.stop();
    for (const engine of engines) await engine.stop();
  }
}

const RECORD = Buffer.alloc(480, 'x');
const CORES = 3;
/** Number of servers that all cores together probe once a minute. */
const FLEETS = [20_000, 200_000];
const WRITE_SECONDS = 10;
const PACE_MS = 5;

/** Returns the CPU time of these nodes since their start in microseconds, and the number of executed scripts. */
async function usageOf(nodes: readonly EngineNode[]): Promise<{ cpu: number; scripts: number }> {
  const infos = await Promise.all(
    nodes.map(node => node.commands(['INFO', 'cpu'], ['INFO', 'commandstats'])),
  );
  let cpu = 0;
  let scripts = 0;
  for (const [use, stats] of infos) {
    for (const [, seconds] of String(use).matchAll(/used_cpu_(?:user|sys):([\d.]+)/g))
      cpu += Number(seconds) * 1e6;
    for (const [, calls] of String(stats).matchAll(/cmdstat_(?:evalsha|eval|fcall):calls=(\d+)/g))
      scripts += Number(calls);
  }
  return { cpu, scripts };
}

/** Writes the status of servers at an even pace, each through the store of the core that owns its bucket. */
async function writePaced(stores: readonly RedisStore[], servers: number, seconds: number): Promise<number> {
  const began = performance.now();
  const writes = Math.floor((servers / 60) * seconds);
  for (let i = 0; i < writes; ) {
    const due = Math.min(writes, ((performance.now() - began) / 1000) * (servers / 60));
    for (; i < due; i++) {
      const server = (i * 7919) % servers;
      const key = `s/csgo 10.${server >> 16}.${(server >> 8) & 255}.${server & 255}:27015`;
      if (!stores[bucketOf(key) % CORES]?.append({ type: 'put', key, value: RECORD })) await pause(PACE_MS);
    }
    await pause(PACE_MS);
  }
  await Promise.all(stores.map(store => store.commit([])));
  return writes;
}

async function measureWrites(): Promise<void> {
  const cluster = await EngineCluster.start('valkey');
  try {
    const bucketsOf = (core: number) =>
      Array.from({ length: SERVER_BUCKETS }, (_, bucket) => bucket).filter(bucket => bucket % CORES === core);
    const stores: RedisStore[] = [];
    for (let core = 0; core < CORES; core++)
      stores.push(
        (await openRedisStore(cluster, 1, { owner: `core-${core}`, buckets: bucketsOf(core) })).store,
      );
    for (const servers of FLEETS) {
      const before = await usageOf(cluster.masters);
      await pause(WRITE_SECONDS * 1000);
      const idle = await usageOf(cluster.masters);
      const writes = await writePaced(stores, servers, WRITE_SECONDS);
      const after = await usageOf(cluster.masters);
      const scripts = after.scripts - idle.scripts;
      process.stdout.write(
        `status writes of ${servers} servers a minute, ${CORES} cores: masters ${((after.cpu - idle.cpu) / writes).toFixed(2)} µs ` +
          `(without writes ${((idle.cpu - before.cpu) / writes).toFixed(2)} µs), ${(writes / scripts).toFixed(2)} writes a script\n`,
      );
    }
    await Promise.all(stores.map(store => store.close()));
  } finally {
    await cluster.stop();
  }
}

await measureFetches();
await measureWrites();
process.exit(0);
