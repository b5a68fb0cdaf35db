import { setTimeout as delay } from 'node:timers/promises';
import { scratchDirectory } from '../../system/scratch-directory.ts';
import { startHttpFloor } from '../floors.ts';
import type { HttpLoadResult } from '../http-load.ts';
import { allButOk } from '../load-generator.ts';
import { mebibytes, type Resident, residentOf } from '../process-usage.ts';
import { fetchRequest, wireBody } from '../requests.ts';
import { inTurn, median } from '../rounds.ts';
import type { Bench, Section } from '../section.ts';
import { Service } from '../service.ts';
import { type Column, judged, judgedColumns, type Table } from '../table.ts';
import { medianCpu, medianRatio, type Throughput } from '../throughput.ts';
import { writeTrackedServers } from '../tracked-servers.ts';

const SIZES = [1_000, 100_000, 1_000_000] as const;
const [SMALLEST] = SIZES;
const LARGEST = Math.max(...SIZES);
const CONNECTIONS = 32;
/**
 * Number of connections of a latency measurement. The number is so high that a connection is always free when the next
 * request is due.
 */
const LATENCY_CONNECTIONS = 256;
/**
 * All latency measurements use the same request rate: this fraction of the maximum throughput of the service that
 * tracks the fewest servers.
 */
const MODERATE = 0.25;
/**
 * Number of latency measurements for each throughput measurement. Several are necessary, because one short pause of the
 * machine can distort a 99th percentile.
 */
const LATENCY_ROUNDS = 3;
const SETTLE_MS = 1_000;
const TARGETS = { bootSeconds: 30, bytesEach: 800, p99Ratio: 1.5 };

interface Stack {
  tracked: number;
  dataBytes: number;
  service: Service;
  afterBoot: Resident | undefined;
}

async function startStack(tracked: number): Promise<Stack> {
  const directory = scratchDirectory();
  const dataBytes = await writeTrackedServers(directory, tracked);
  const service = await Service.start(directory);
  await delay(SETTLE_MS);
  return { tracked, dataBytes, service, afterBoot: residentOf(service.core.pid) };
}

const memoryColumns: Column[] = [
  { key: 'tracked', heading: 'tracked' },
  { key: 'dataBytes', heading: 'JSON B each' },
  { key: 'bootSeconds', heading: 'boot s', digits: 1 },
  { key: 'bootMet', heading: `<= ${TARGETS.bootSeconds} s` },
  { key: 'bootTotal', heading: 'RSS at boot' },
  { key: 'bootAnonymous', heading: 'RssAnon' },
  { key: 'bootFile', heading: 'RssFile' },
  { key: 'loadTotal', heading: 'RSS after load' },
  { key: 'loadAnonymous', heading: 'RssAnon' },
  { key: 'loadFile', heading: 'RssFile' },
  { key: 'gateway', heading: 'gateway RSS' },
  { key: 'bytesEach', heading: 'RSS B each' },
  { key: 'bytesMet', heading: `<= ${TARGETS.bytesEach} B` },
];

function memoryRow({ tracked, dataBytes, service, afterBoot }: Stack): Table['rows'][0] {
  const afterLoad = residentOf(service.core.pid);
  const bytesEach = afterLoad && afterBoot && Math.max(afterLoad.total, afterBoot.total) / tracked;
  const atTarget = tracked === LARGEST;
  return {
    tracked,
    dataBytes,
    bootSeconds: service.bootSeconds,
    ...(atTarget ? { bootMet: judged(service.bootSeconds, '<=', TARGETS.bootSeconds).met } : {}),
    bootTotal: mebibytes(afterBoot?.total),
    bootAnonymous: mebibytes(afterBoot?.anonymous),
    bootFile: mebibytes(afterBoot?.file),
    loadTotal: mebibytes(afterLoad?.total),
    loadAnonymous: mebibytes(afterLoad?.anonymous),
    loadFile: mebibytes(afterLoad?.file),
    gateway: mebibytes(residentOf(service.gateway.pid)?.total),
    bytesEach,
    ...(atTarget ? { bytesMet: judged(bytesEach, '<=', TARGETS.bytesEach).met } : {}),
  };
}

const fetchColumns: Column[] = [
  { key: 'tracked', heading: 'tracked' },
  { key: 'gsq', heading: 'gsq/s' },
  { key: 'ratio', heading: 'to node:http', digits: 3 },
  { key: 'toSmallest', heading: `to ${SMALLEST} tracked`, digits: 3 },
  { key: 'gatewayCpu', heading: 'gateway µs', digits: 1 },
  { key: 'coreCpu', heading: 'core µs', digits: 1 },
];

const latencyColumns: Column[] = [
  { key: 'tracked', heading: 'tracked' },
  { key: 'p50', heading: 'p50 ms', digits: 2 },
  { key: 'p99', heading: 'p99 ms', digits: 2 },
  { key: 'p99Ratio', heading: `p99 to ${SMALLEST} tracked`, digits: 2 },
  ...judgedColumns,
  { key: 'failed', heading: 'not answered 200' },
];

function latencyRow(tracked: number, rounds: HttpLoadResult[], smallest: HttpLoadResult[]): Table['rows'][0] {
  const p99Ratio = median(rounds.map(({ p99 }, round) => p99 / (smallest[round]?.p99 ?? Number.NaN)));
  return {
    tracked,
    p50: median(rounds.map(({ p50 }) => p50)),
    p99: median(rounds.map(({ p99 }) => p99)),
    p99Ratio,
    ...(tracked === LARGEST ? judged(p99Ratio, '<=', TARGETS.p99Ratio, 1) : {}),
    failed: rounds.reduce((sum, round) => sum + allButOk(round), 0),
  };
}

/**
 * Returns one function for each gsq service in `stacks`, keyed by the number of servers that the service tracks. Each
 * function runs `work` for its service.
 */
function forEach<Result>(stacks: readonly Stack[], work: (stack: Stack) => Promise<Result>) {
  return Object.fromEntries(stacks.map(stack => [stack.tracked, () => work(stack)] as const));
}

async function measureStacks(bench: Bench, stacks: readonly Stack[]): Promise<Table[]> {
  const [smallest] = stacks;
  if (!smallest) return [];
  const body = await wireBody(smallest.service.http, fetchRequest([0]));
  const floor = await startHttpFloor();
  const closed = { connections: CONNECTIONS, seconds: bench.seconds };
  const requestsFor = ({ tracked }: Stack) => ({ kind: 'tracked', servers: tracked }) as const;
  const throughput = ({ service, ...stack }: Stack): Promise<Throughput> =>
    bench.load.throughput({
      ...closed,
      requests: requestsFor({ service, ...stack }),
      address: service.http,
      servers: { gateway: service.gateway.pid, core: service.core.pid },
    });
  try {
    const address = await floor.ask({ body });
    const bare = () =>
      bench.load.throughput({ ...closed, requests: requestsFor(smallest), address, servers: {} });
    const rates = await inTurn<string, Throughput>(
      { floor: bare, ...forEach(stacks, throughput) },
      bench.rounds,
    );
    const smallestRates = rates[SMALLEST] ?? [];
    const moderate = MODERATE * (median(smallestRates.map(({ rate }) => rate)) ?? 0);
    const latencies = await inTurn<string, HttpLoadResult>(
      forEach(stacks, stack =>
        bench.load.run({
          address: stack.service.http,
          requests: requestsFor(stack),
          connections: LATENCY_CONNECTIONS,
          seconds: bench.seconds * 2,
          rate: moderate,
        }),
      ),
      bench.rounds * LATENCY_ROUNDS,
    );
    for (const { service, tracked } of stacks) {
      const now = await service.tracked();
      if (now !== tracked) throw new Error(`${now} servers are tracked instead of ${tracked}`);
    }
    return [
      {
        title: 'Boot and memory of the core',
        notes: [
          'MiB of resident memory: in all, of its own (RssAnon) and mapped files (RssFile). Boot: from the start of the',
          'process until it is ready, its files in the page cache. B each: the larger RSS of the core over all tracked',
          'servers. The gateway: after load.',
        ],
        columns: memoryColumns,
        rows: stacks.map(memoryRow),
      },
      {
        title: 'Fetch of one address, random over all tracked',
        notes: [`${CONNECTIONS} connections; all stacks run at once and are measured in turn.`],
        columns: fetchColumns,
        rows: stacks.map(({ tracked }) => {
          const rounds = rates[tracked] ?? [];
          return {
            tracked,
            gsq: median(rounds.map(({ rate }) => rate)),
            ratio: medianRatio(rounds, rates.floor ?? []),
            toSmallest: medianRatio(rounds, smallestRates),
            gatewayCpu: medianCpu(rounds, 'gateway'),
            coreCpu: medianCpu(rounds, 'core'),
          };
        }),
      },
      {
        title: 'Latency at a moderate load',
        notes: [
          `${moderate.toFixed(0)} requests a second offered to each (${MODERATE} of what ${SMALLEST} tracked servers allow), whatever the answers;`,
          'from when a request was due to its answer; in turn as above.',
        ],
        columns: latencyColumns,
        rows: stacks.map(({ tracked }) =>
          latencyRow(tracked, latencies[tracked] ?? [], latencies[SMALLEST] ?? []),
        ),
      },
    ];
  } finally {
    await floor.stop();
  }
}

/**
 * Measures the boot time and memory of a core with up to a million tracked servers, and the throughput and latency of
 * fetches from it.
 */
export const scaleSection: Section = async bench => {
  const stacks: Stack[] = [];
  try {
    for (const size of SIZES) stacks.push(await startStack(size));
    return await measureStacks(bench, stacks);
  } finally {
    await Promise.all(stacks.map(({ service }) => service.stop()));
  }
};
