/**
 * Measures how much memory the history of a server takes in Redis, and how long reads and roll-ups (daily summaries)
 * take:
 *
 *   node --import ./runtime/typescript.mjs test/engines/history-cost.ts
 *
 * Prints the memory per server (MEMORY USAGE), and estimates it for the full retention times.
 */
import { pino } from 'pino';
import { bucketOfServer } from '../../core/cluster/buckets.ts';
import { addSample } from '../../core/history/add-sample.ts';
import { type ChangedRecord, newRecord } from '../../core/servers/record-status.ts';
import { EngineHistory } from '../../core/store/history-blobs/engine-history.ts';
import { EngineBlobs } from '../../core/store/redis/engine-blobs.ts';
import { PATTERNS, type Pattern, simulatedServer } from '../core/history/simulated-fleet.ts';
import { DAY, HOUR, LONGEST_HOLD, RETENTION } from '../core/store/history/opened-history.ts';
import { EngineCluster } from './engine-cluster.ts';
import { openRedisStore } from './redis-stores.ts';

/** Number of buckets (groups of servers) with simulated servers. Each of these servers gets one sample a minute. */
const BUCKETS = 4;
/** Number of servers in one bucket of the store if a million servers are tracked. */
const SERVERS_A_BUCKET = 244;
const DAYS = 4;
const READS = 2_000;
const TODAY = Math.floor(Date.now() / DAY) * DAY;
/** Time of the first simulated sample, in Unix ms. */
const SIMULATED_FROM = Date.UTC(2026, 0, 1);
/**
 * Size in bytes of all daily summaries (uptime and players) of one server in one month, encoded. Measured by `npm run
 * test:history -- cost`.
 */
const MONTH_BYTES = 28;

/** Returns the keys of the simulated servers: SERVERS_A_BUCKET keys in each of the first BUCKETS buckets. */
function serverKeys(): string[] {
  const counts = new Array<number>(BUCKETS).fill(0);
  const keys: string[] = [];
  for (let i = 0; keys.length < BUCKETS * SERVERS_A_BUCKET; i++) {
    const key = `csgo 10.${i >> 16}.${(i >> 8) & 255}.${i & 255}:27015`;
    const bucket = bucketOfServer(key);
    const count = counts[bucket];
    if (count === undefined || count === SERVERS_A_BUCKET) continue;
    counts[bucket] = count + 1;
    keys.push(key);
  }
  return keys;
}

/**
 * Returns the behaviour of the simulated server with this index. PATTERNS contains the percentage of servers with each
 * behaviour.
 */
function patternOf(index: number): Pattern {
  let rest = (index * 37) % 100;
  for (const [pattern, percent] of Object.entries(PATTERNS)) {
    if (rest < percent) return pattern as Pattern;
    rest -= percent;
  }
  return 'empty';
}

const clock = { at: TODAY };
const cluster = await EngineCluster.startSingle('redis');
const { store } = await openRedisStore(cluster, 1);
const keys = serverKeys();
const records = new Map<string, ChangedRecord>(
  keys.map(key => {
    const [gameId = '', address = ''] = key.split(' ');
    return [key, newRecord(gameId, address, 'admin', TODAY, 60_000) as ChangedRecord];
  }),
);
const history = new EngineHistory({
  blobs: new EngineBlobs(store.buckets),
  retention: RETENTION,
  longestHoldMs: LONGEST_HOLD,
  serverKeys: async () => [],
  now: () => clock.at,
  monotonic: () => clock.at + DAY,
  log: pino({ level: 'error' }),
  serverPauseMs: 0,
});
let isStarted = false;
history.connectRecords({
  holds: 0,
  writeHeld() {},
  async sealOpenHours() {},
  buckets: {
    complete: () => (isStarted ? Array.from({ length: BUCKETS }, (_, i) => i) : []),
    async visitRecords(buckets, visit) {
      for (const [key, record] of records)
        if (buckets.includes(bucketOfServer(key))) visit(bucketOfServer(key), record);
    },
  },
});

/** Returns the memory of all blobs (stored strings) whose name begins with one of `prefixes`, in bytes per server. */
async function bytesOf(...prefixes: string[]): Promise<number> {
  let sum = 0;
  for (const node of cluster.masters)
    for (const prefix of prefixes)
      for (const key of (await node.command('KEYS', `gsq-history:*}:${prefix}*`)) as unknown[])
        sum += Number(await node.command('MEMORY', 'USAGE', String(key), 'SAMPLES', '0'));
  return Math.round(sum / keys.length);
}

/** Returns the prefix of the names of all blobs that contain the samples of a day. `day`: Unix ms. */
const minutesOf = (day: number): string => `minutes/${new Date(day).toISOString().slice(0, 10)}`;

async function simulate(): Promise<void> {
  const streams = keys.map((key, i) => ({
    key,
    samples: simulatedServer(patternOf(i), i, DAYS * 24 + 3, 1),
    isOnline: true,
  }));
  const ahead = streams.map(({ samples }) => samples.next());
  for (; clock.at < TODAY + DAYS * DAY + 2.9 * HOUR; clock.at += 60_000) {
    for (const [i, stream] of streams.entries()) {
      for (let next = ahead[i]; next && !next.done; next = ahead[i] = stream.samples.next()) {
        const sample = { ...next.value, at: next.value.at - SIMULATED_FROM + TODAY };
        if (sample.at >= clock.at + 60_000) break;
        const record = records.get(stream.key) as ChangedRecord;
        const sealed = addSample(record, sample);
        if (sealed) history.store.sealHour(stream.key, sealed);
        const isOnline = sample.state === 'online';
        if (isOnline && !stream.isOnline) history.store.addOnline(stream.key, sample.at);
        if (!isOnline && stream.isOnline) history.store.addOffline(stream.key, sample.at, 'no_reply');
        stream.isOnline = isOnline;
      }
    }
    await history.flush();
    isStarted = true;
    if (clock.at % DAY === 4 * HOUR) {
      const began = performance.now();
      await history.maintain();
      console.log(`roll-up of a day: ${((performance.now() - began) / keys.length).toFixed(2)} ms a server`);
    }
  }
}

await simulate();
const [node] = cluster.masters;
const lastDay = TODAY + (DAYS - 1) * DAY;
const packed = await bytesOf(minutesOf(lastDay - DAY));
const unpacked = await bytesOf(minutesOf(lastDay));
const now = await bytesOf(minutesOf(TODAY + DAYS * DAY));
const quarters = await bytesOf('quarters/');
const figures = {
  'samples of a day, packed': packed,
  'samples of a day, before the roll-up': unpacked,
  'samples kept at most (27 hours, and the last 7 hours of the day before)': Math.round(
    unpacked + now + packed / 4,
  ),
  'quarter hours of a day': Math.round(quarters / DAYS),
  'days of this month': await bytesOf('days/'),
  'incidents of this month': await bytesOf('incidents/'),
};
for (const [what, bytes] of Object.entries(figures)) console.log(`${what}: ${bytes} bytes a server`);
const blobs = Number(await node?.command('DBSIZE'));
console.log(`keys: ${blobs}`);
const projected = unpacked + now + packed / 4 + (33 * quarters) / DAYS + 13 * (MONTH_BYTES + 8);
console.log(`projected, without incidents: ${Math.round(projected)} bytes a server`);
const cpu = async (): Promise<number> =>
  Number(/used_cpu_user:([\d.]+)/.exec(String(await node?.command('INFO', 'cpu')))?.[1]);
for (const [what, read] of [
  ['samples of 24 hours', (key: string) => history.store.hours(key, clock.at - DAY, clock.at)],
  ['quarter hours of 4 days', (key: string) => history.store.quarters(key, TODAY, clock.at)],
] as const) {
  const [began, before] = [performance.now(), await cpu()];
  for (let i = 0; i < READS; i++) await read(keys[i % keys.length] ?? '');
  const us = ((performance.now() - began) / READS) * 1_000;
  const engine = ((await cpu()) - before) / READS;
  console.log(
    `read of the ${what}: ${Math.round(us)} µs, ${Math.round(engine * 1e6)} µs of it in the engine`,
  );
}
await history.close();
await store.close();
await cluster.stop();
