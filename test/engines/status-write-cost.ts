/**
 * Measures the CPU time that a Redis or Valkey cluster needs to write the statuses of many game servers:
 *
 *   node --import ./runtime/typescript.mjs test/engines/status-write-cost.ts \
 *     [--engine redis|valkey] [--speed N] [servers]...
 *
 * Three simulated cores probe each server once a minute. The program prints how much CPU time the writes cost all
 * masters together, divided by the number of written records. It leaves out the time that the masters need without
 * writes, and prints it separately.
 *
 * - `--speed`: maximum number of simulated seconds in each second of real time. A slow machine simulates fewer.
 * - `servers`: number of servers. Each given number is measured separately.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { bucketOfServer, SERVER_BUCKETS } from '../../core/cluster/buckets.ts';
import { encodeRecord } from '../../core/servers/record-codec.ts';
import { newRecord } from '../../core/servers/record-status.ts';
import { BucketSlots } from '../../core/store/memory/bucket-slots.ts';
import { RecordWriter } from '../../core/store/memory/record-writer.ts';
import { ServerTable } from '../../core/store/memory/server-table.ts';
import { MOST_BEHIND_S } from '../../core/store/memory/write-behind.ts';
import type { RedisStore } from '../../core/store/redis/redis-store.ts';
import { type Clock, clockAt } from '../core/clock.ts';
import { payloadOf } from '../core/payload-of.ts';
import { onlineRecord } from '../core/record-of.ts';
import { EngineCluster } from './engine-cluster.ts';
import type { EngineNode } from './engine-node.ts';
import type { EngineKind } from './engine-program.ts';
import { openRedisStore } from './redis-stores.ts';

const CORES = 3;
const PROBE_INTERVAL_S = 60;
const STEP_MS = 20;
/**
 * Maximum real time that one step simulates, in ms. If more time has passed since the previous step, the program does
 * not simulate the rest of it. So no step takes too long, and the stores can read the replies of the storage engine
 * after every step.
 */
const MOST_STEP_MS = 2 * STEP_MS;
/** The status of a server with a dozen players. Its record has 318 bytes. */
const PAYLOAD = payloadOf({
  playerList: Array.from({ length: 12 }, (_, i) => ({ name: `player ${i}`, score: i, time: 60 })),
});
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { engine: { type: 'string', default: 'valkey' }, speed: { type: 'string', default: '10' } },
});
const engine = values.engine as EngineKind;
/**
 * Maximum number of simulated seconds in each second of real time. A high speed needs more simulated probes a second,
 * and one process can simulate only about 40,000.
 */
const speed = Number(values.speed);
const fleets = positionals.length > 0 ? positionals.map(Number) : [20_000, 200_000];

/** The servers of one simulated core, and the `RecordWriter` that writes their records. */
class CoreWrites {
  /** Number of record writes that the store has accepted from this core. */
  written = 0;
  /** Total size of the records that the store has accepted from this core, in bytes. */
  bytes = 0;
  readonly #clock: Clock;
  readonly #table = new ServerTable();
  readonly #writer: RecordWriter;

  constructor(store: RedisStore, clock: Clock, keys: readonly string[]) {
    this.#clock = clock;
    const reader = { readBuckets: () => Promise.reject(new Error('this core loads no buckets')) };
    const buckets = new BucketSlots({ reader, bucketOf: bucketOfServer, count: SERVER_BUCKETS });
    const engine: Pick<RedisStore, 'append' | 'commit'> = {
      append: operation => {
        if (!store.append(operation)) return false;
        this.written++;
        if (operation.type === 'put') this.bytes += operation.value.length;
        return true;
      },
      commit: operations => store.commit(operations),
    };
    this.#writer = new RecordWriter(engine, this.#table, clock.now, buckets);
    for (const key of keys) {
      const [gameId = '', address = ''] = key.split(' ');
      const record = newRecord(gameId, address, 'tok_1', clock.at, PROBE_INTERVAL_S * 1000);
      const slot = this.#table.insert(
        key,
        encodeRecord(onlineRecord(record, clock.at, { payload: PAYLOAD })),
      );
      buckets.addSlot(slot, key);
      this.#writer.addWritten(slot, clock.at);
    }
  }

  get servers(): number {
    return this.#table.size;
  }

  /** Simulates a successful probe of one server. `slot`: index of the server in the server table. */
  probe(slot: number): void {
    const next = onlineRecord(this.#table.record(slot), this.#clock.at, { payload: PAYLOAD });
    this.#table.replace(slot, next);
    this.#writer.writeChange(slot, next, false, this.#clock.at, false);
  }
}

/**
 * Returns two figures of the nodes (Redis or Valkey processes) since their start: their total CPU time in microseconds,
 * and the number of scripts and transactions that they have run.
 */
async function usageOf(nodes: readonly EngineNode[]): Promise<{ cpu: number; calls: number }> {
  const infos = await Promise.all(
    nodes.map(node => node.commands(['INFO', 'cpu'], ['INFO', 'commandstats'])),
  );
  let cpu = 0;
  let calls = 0;
  for (const [use, stats] of infos) {
    for (const [, seconds] of String(use).matchAll(/used_cpu_(?:user|sys):([\d.]+)/g))
      cpu += Number(seconds) * 1e6;
    for (const [, count] of String(stats).matchAll(/cmdstat_(?:evalsha|exec):calls=(\d+)/g))
      calls += Number(count);
  }
  return { cpu, calls };
}

/**
 * Simulates probes of all servers of all cores at an even rate, for `simulatedSeconds` seconds of simulated time.
 * Returns how many seconds of real time this took.
 */
async function probeFor(
  cores: readonly CoreWrites[],
  clock: Clock,
  simulatedSeconds: number,
): Promise<number> {
  const began = clock.at;
  const realStart = performance.now();
  const done = cores.map(() => 0);
  let stepStart = realStart;
  while (clock.at - began < simulatedSeconds * 1000) {
    const now = performance.now();
    clock.at += Math.floor(Math.min(now - stepStart, MOST_STEP_MS) * speed);
    stepStart = now;
    for (const [i, core] of cores.entries()) {
      const due = ((clock.at - began) / 1000 / PROBE_INTERVAL_S) * core.servers;
      for (let probe = done[i] ?? 0; probe < due; probe++) core.probe(probe % core.servers);
      done[i] = Math.max(done[i] ?? 0, Math.ceil(due));
    }
    await pause(STEP_MS);
  }
  return (performance.now() - realStart) / 1000;
}

async function measureFleet(cluster: EngineCluster, stores: readonly RedisStore[], servers: number) {
  const clock = clockAt();
  const keys: string[][] = stores.map(() => []);
  for (let i = 0; i < servers; i++) {
    const key = `csgo 10.${i >> 16}.${(i >> 8) & 255}.${i & 255}:27015`;
    keys[bucketOfServer(key) % CORES]?.push(key);
  }
  const cores = stores.map((store, i) => new CoreWrites(store, clock, keys[i] ?? []));
  // Simulates probes until each record has been written once. After that, each write also updates other outdated
  // records in the same bucket of servers, as in normal operation.
  await probeFor(cores, clock, MOST_BEHIND_S + 2 * PROBE_INTERVAL_S);
  const idleSeconds = MOST_BEHIND_S / speed;
  const before = await usageOf(cluster.masters);
  await pause(idleSeconds * 1000);
  const idle = await usageOf(cluster.masters);
  const [writtenBefore, bytesBefore] = [sum(cores, 'written'), sum(cores, 'bytes')];
  const seconds = await probeFor(cores, clock, MOST_BEHIND_S);
  await Promise.all(stores.map(store => store.commit([])));
  const after = await usageOf(cluster.masters);
  const writes = sum(cores, 'written') - writtenBefore;
  const idleCpu = (idle.cpu - before.cpu) * (seconds / idleSeconds);
  const perWrite = (cpu: number): string => `${(cpu / writes).toFixed(2)} µs`;
  process.stdout.write(
    `${engine}, ${servers} servers, probed once a minute, ${CORES} cores: masters ` +
      `${perWrite(after.cpu - idle.cpu - idleCpu)} a written record, and ${perWrite(idleCpu)} without writes in the ` +
      `same time, ${(writes / (after.calls - idle.calls)).toFixed(2)} records a call, ` +
      `${Math.round((sum(cores, 'bytes') - bytesBefore) / writes)} bytes each, ` +
      `${(writes / MOST_BEHIND_S).toFixed(0)} writes a second, ` +
      `${(MOST_BEHIND_S / seconds).toFixed(1)} times faster than real time\n`,
  );
}

function sum(cores: readonly CoreWrites[], count: 'written' | 'bytes'): number {
  return cores.reduce((all, core) => all + core[count], 0);
}

const cluster = await EngineCluster.start(engine);
try {
  const stores: RedisStore[] = [];
  for (let core = 0; core < CORES; core++) {
    const buckets = Array.from({ length: SERVER_BUCKETS }, (_, bucket) => bucket).filter(
      bucket => bucket % CORES === core,
    );
    stores.push((await openRedisStore(cluster, 1, { owner: `core-${core}`, buckets })).store);
  }
  for (const servers of fleets) await measureFleet(cluster, stores, servers);
  await Promise.all(stores.map(store => store.close()));
} finally {
  await cluster.stop();
}
process.exit(0);
