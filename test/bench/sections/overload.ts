import { scratchDirectory } from '../../system/scratch-directory.ts';
import type { HttpLoadResult } from '../http-load.ts';
import { allButOk } from '../load-generator.ts';
import { mebibytes, residentOf } from '../process-usage.ts';
import { inTurn, median } from '../rounds.ts';
import type { Section } from '../section.ts';
import { Service } from '../service.ts';
import { type Column, judged, judgedColumns, type Table } from '../table.ts';
import { aroundCpu } from '../throughput.ts';
import { writeTrackedServers } from '../tracked-servers.ts';

const TRACKED = 10_000;
/** Numbers of connections for the peak measurement. The number with the highest throughput defines the peak load. */
const PEAK_CONNECTIONS = [32, 128, 256] as const;
/**
 * Numbers of connections with which the service is overloaded: two, four and eight times the maximum of
 * PEAK_CONNECTIONS.
 */
const OVERLOAD_CONNECTIONS = [512, 1024, 2048] as const;
const TIMES_PEAK = 2;
/**
 * Maximum duration of one part of an overload measurement, in seconds. Each part is compared with the peak loads
 * measured just before and after it. The parts are short because the speed of a shared machine changes.
 */
const SLICE_SECONDS = 15;
const SAMPLE_MS = 250;
const GOODPUT_TARGET = 0.9;
const MEMORY_TARGET = 1.1;

type Memory = Record<string, number | undefined>;

/**
 * Samples the resident memory of each process until `work` ends. Resolves to one value in MiB for each process. The
 * function `of` computes this value from all samples of the process.
 */
async function memoryWhile(
  pids: Record<string, number>,
  work: Promise<unknown>,
  of: (samples: number[]) => number | undefined,
): Promise<Memory> {
  const samples = Object.entries(pids).map(([name, pid]) => ({ name, pid, totals: [] as number[] }));
  const look = (): void => {
    for (const { pid, totals } of samples) {
      const total = mebibytes(residentOf(pid)?.total);
      if (total !== undefined) totals.push(total);
    }
  };
  const timer = setInterval(look, SAMPLE_MS);
  await work.finally(() => clearInterval(timer));
  look();
  return Object.fromEntries(samples.map(({ name, totals }) => [name, of(totals)]));
}

const largest = (samples: number[]): number | undefined =>
  samples.length > 0 ? Math.max(...samples) : undefined;
/**
 * Returns the smallest of the memory samples of a process. This is the memory that the process uses after a garbage
 * collection.
 */
const least = (samples: number[]): number | undefined =>
  samples.length > 0 ? Math.min(...samples) : undefined;

const answerColumns: Column[] = [
  { key: 'load', heading: 'load' },
  { key: 'connections', heading: 'connections' },
  { key: 'due', heading: 'due/s' },
  { key: 'ok', heading: '200/s' },
  { key: 'goodput', heading: '200s to peak', digits: 3 },
  ...judgedColumns,
  { key: 'refused', heading: '503/s' },
  { key: 'unsent', heading: 'unsent/s' },
  { key: 'other', heading: 'other answers' },
  { key: 'notConnected', heading: 'not connected' },
  { key: 'broken', heading: 'broken' },
  { key: 'unanswered', heading: 'unanswered' },
  { key: 'p50', heading: '200: p50 ms', digits: 1 },
  { key: 'p99', heading: 'p99 ms', digits: 1 },
  { key: 'gatewayCpu', heading: 'gateway CPU %' },
  { key: 'coreCpu', heading: 'core CPU %' },
  { key: 'loadCpu', heading: 'load CPU %' },
];

const memoryColumns: Column[] = [
  { key: 'process', heading: 'MiB of RSS' },
  { key: 'before', heading: 'before' },
  { key: 'peak', heading: 'after peak rounds' },
  { key: 'during', heading: 'largest during' },
  { key: 'after', heading: 'after the last overload' },
  { key: 'again', heading: 'after peak rounds again' },
  { key: 'growth', heading: 'to the first time', digits: 2 },
  ...judgedColumns,
];

interface Measured {
  result: HttpLoadResult;
  cpu: Record<string, number | undefined>;
}

function perSecond({ result, cpu }: Measured) {
  const { seconds } = result;
  const percent = (used: number | undefined) => used && (used / seconds / 1e6) * 100;
  return {
    ok: result.ok / seconds,
    refused: result.refused / seconds,
    unsent: result.unsent / seconds,
    other: result.other,
    notConnected: result.notConnected,
    broken: result.broken,
    unanswered: result.unanswered,
    p50: result.p50,
    p99: result.p99,
    gatewayCpu: percent(cpu.gateway),
    coreCpu: percent(cpu.core),
    loadCpu: percent(result.cpu),
  };
}

/**
 * Combines the results of all rounds with the same load into one result: the sums of all failures, the largest p99
 * latency, and the medians of the other figures.
 */
function together(rounds: readonly ReturnType<typeof perSecond>[]) {
  const of = (key: keyof ReturnType<typeof perSecond>) => median(rounds.map(round => round[key]));
  const sum = (key: 'other' | 'notConnected' | 'broken' | 'unanswered') =>
    rounds.reduce((all, round) => all + round[key], 0);
  return {
    ok: of('ok'),
    refused: of('refused'),
    unsent: of('unsent'),
    other: sum('other'),
    notConnected: sum('notConnected'),
    broken: sum('broken'),
    unanswered: sum('unanswered'),
    p50: of('p50'),
    p99: Math.max(...rounds.map(({ p99 }) => p99)),
    gatewayCpu: of('gatewayCpu'),
    coreCpu: of('coreCpu'),
    loadCpu: of('loadCpu'),
  };
}

function refuseFailures(measured: readonly Measured[]): void {
  const failed = measured.reduce((sum, { result }) => sum + allButOk(result), 0);
  if (failed > 0) throw new Error(`${failed} requests were not answered 200 in a closed loop`);
}

/** Measures the throughput and memory of the service under twice its peak load. */
export const overloadSection: Section = async ({ load, rounds, seconds, overloadSeconds }) => {
  const directory = scratchDirectory();
  await writeTrackedServers(directory, TRACKED);
  const service = await Service.start(directory);
  try {
    const pids = { gateway: service.gateway.pid, core: service.core.pid };
    const memory = () => ({
      gateway: mebibytes(residentOf(pids.gateway)?.total),
      core: mebibytes(residentOf(pids.core)?.total),
    });
    const before = memory();
    const common = { address: service.http, requests: { kind: 'tracked', servers: TRACKED } as const };
    const closedLoop = (connections: number, long: number) =>
      aroundCpu(pids, () => load.run({ ...common, connections, seconds: long }));
    const sought = await inTurn<string, Measured>(
      Object.fromEntries(
        PEAK_CONNECTIONS.map(connections => [connections, () => closedLoop(connections, seconds)]),
      ),
      rounds,
    );
    refuseFailures(Object.values(sought).flat());
    const rateWith = (connections: number) =>
      median((sought[connections] ?? []).map(({ result }) => result.ok / result.seconds)) ?? 0;
    const peakConnections = PEAK_CONNECTIONS.reduce((found, next) =>
      rateWith(next) > rateWith(found) ? next : found,
    );
    const slices = Math.ceil(overloadSeconds / SLICE_SECONDS);
    const sliceSeconds = overloadSeconds / slices;
    const measurePeak = async () => {
      const measured = await closedLoop(peakConnections, sliceSeconds);
      refuseFailures([measured]);
      return perSecond(measured);
    };
    /**
     * Returns the smallest memory of each process during two rounds of peak load. Two rounds are long enough for each
     * process to collect its garbage at least once.
     */
    const memoryAtPeak = () => memoryWhile(pids, measurePeak().then(measurePeak), least);
    await measurePeak();
    const afterPeak = await memoryAtPeak();
    let after: Memory = {};
    const rows: Table['rows'] = [];
    const overloadAll = async (): Promise<void> => {
      for (const connections of OVERLOAD_CONNECTIONS) {
        const peaks = [await measurePeak()];
        const overloads: ReturnType<typeof perSecond>[] = [];
        for (let slice = 0; slice < slices; slice++) {
          const rate = (peaks.at(-1)?.ok ?? Number.NaN) * TIMES_PEAK;
          const run = () => load.run({ ...common, connections, seconds: sliceSeconds, rate });
          overloads.push(perSecond(await aroundCpu(pids, run)));
          after = memory();
          peaks.push(await measurePeak());
        }
        const goodput = median(
          overloads.map(({ ok }, i) => (2 * ok) / ((peaks[i]?.ok ?? 0) + (peaks[i + 1]?.ok ?? 0))),
        );
        const peak = median(peaks.map(({ ok }) => ok));
        rows.push({ load: 'peak', connections: peakConnections, ...together(peaks) });
        rows.push({
          load: 'overload',
          connections,
          due: peak && peak * TIMES_PEAK,
          goodput,
          ...judged(goodput, '>=', GOODPUT_TARGET),
          ...together(overloads),
        });
      }
    };
    const during = await memoryWhile(pids, overloadAll(), largest);
    const afterLastPeak = await memoryAtPeak();

    return [
      {
        title: 'Overload',
        notes: [
          `One address a request, random over ${TRACKED} tracked. Peak: as many of ${PEAK_CONNECTIONS.join(', ')} connections as serve best, each`,
          `of which sends on the answer. Overload: ${TIMES_PEAK} times the peak before it due a second whatever the answers, for ${overloadSeconds} s in ${slices} parts;`,
          'the 200s of each are related to the mean of the peaks right before and after it, as long as it is. Medians; of the p99 the worst.',
          'Unsent: no connection was free. 503s carry Retry-After, or count as other answers. All share the cores of one machine.',
        ],
        columns: answerColumns,
        rows,
      },
      {
        title: 'Memory before, during and after overload',
        notes: [
          'MiB of RSS; after peak rounds: the least during two of them, with one before that is not counted.',
        ],
        columns: memoryColumns,
        rows: (['gateway', 'core'] as const).map(process => {
          const growth = (afterLastPeak[process] ?? Number.NaN) / (afterPeak[process] ?? Number.NaN);
          return {
            process,
            before: before[process],
            peak: afterPeak[process],
            during: during[process],
            after: after[process],
            again: afterLastPeak[process],
            growth,
            ...judged(Number.isNaN(growth) ? undefined : growth, '<=', MEMORY_TARGET),
          };
        }),
      },
    ];
  } finally {
    await service.stop();
  }
};
