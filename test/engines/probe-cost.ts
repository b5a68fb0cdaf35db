/**
 * Measures how much CPU time the reports of a prober cost the cores:
 *
 *   node --import ./runtime/typescript.mjs test/engines/probe-cost.ts [rounds]
 *
 * Compares one, two and three cores with Valkey to a single core with the embedded store. The single core gets as many
 * reports as each of the compared cores. Prints the median and the range of all rounds.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { inTurn, median } from '../bench/rounds.ts';
import { settings } from '../bench/service.ts';
import { writeTrackedServers } from '../bench/tracked-servers.ts';
import { Worker } from '../bench/worker.ts';
import { scratchDirectory } from '../system/scratch-directory.ts';
import { ComparedGroups, idleCostOf, medianAndRange, startCpuClocks } from './compared-groups.ts';
import { CoreGroup, metricsOf } from './core-group.ts';
import { EngineCluster } from './engine-cluster.ts';
import type { InventedReports } from './invented-prober.ts';

const ROUNDS = Number(process.argv[2] ?? 7);
/**
 * Number of tracked servers. It is so large that each server is probed about once a minute on average, as with the
 * default settings. With more frequent probes, fewer of the reports would cause a write to the store, and a report
 * would seem cheaper.
 */
const TRACKED = 80_000;
/**
 * Probe interval of the servers, in milliseconds. The prober cannot report all servers within this interval, so at any
 * time some servers are due for a probe.
 */
const INTERVAL_MS = 2_000;
const ENV = { GSQ_PROBE_INTERVAL: `${INTERVAL_MS}ms` };
const PER_SECOND = 8_000;
/**
 * Number of probe reports that each core gets before the first round. After so many reports, V8 has optimised the code
 * of the core.
 */
const WARM_UP_REPORTS = 80_000;
const WARM_UP_PER_SECOND = 16_000;
/**
 * Duration of one measurement, in seconds. In this time, the prober reports each server once. When a core with a shared
 * store writes one record, it also updates all outdated records in the same bucket of servers. With fewer reports,
 * these updates would make a report seem more expensive than it is.
 */
const SECONDS = TRACKED / PER_SECOND;
/**
 * Pause before and after the reports of one measurement, in ms. After the first pause, the connected prober has got
 * its first leases (orders to probe). After the second one, the cores have recorded all reports.
 */
const SETTLE_MS = 300;

/** Result of one measurement: the cost of probe reports in one or several cores. */
interface ProbeCost {
  /** CPU time of all core processes together in one second without probes, in microseconds. */
  idle: number;
  /** CPU time of all core processes together for each probe report, in microseconds. */
  cpu: number;
  /** Number of records that the cores wrote to the store for each probe report. */
  written: number;
}

function sum(values: readonly number[]): number {
  return values.reduce((all, value) => all + value, 0);
}

/**
 * Returns the sum of all values of a metric, with any labels, in all cores of a group. A group is one core, or several
 * cores with a shared store.
 */
async function sumOf(group: CoreGroup, metric: string): Promise<number> {
  const texts = await Promise.all(group.cores.map(metricsOf));
  const lines = new RegExp(`^${metric}(?:\\{.*\\})? (\\d+)$`, 'gm');
  return sum(texts.flatMap(text => [...text.matchAll(lines)].map(([, value]) => Number(value))));
}

/**
 * Makes the prober send reports to a group of cores. Resolves to the cost of one report: CPU time of the cores, and
 * number of records that they write to the store.
 */
async function costOf(
  prober: Worker<InventedReports, void>,
  group: CoreGroup,
  perSecond = PER_SECOND,
): Promise<ProbeCost> {
  const recorded = () => sumOf(group, 'gsq_reports_total');
  const written = () => sumOf(group, 'gsq_store_written_records_total');
  const idle = sum(await idleCostOf(group));
  const cores = group.internal;
  // Connects the prober to the cores, but makes it send no reports yet: the measurement must begin before the first
  // report. After a pause, the first reports make cores with a shared store update the outdated records in nearly all
  // buckets of servers. The measurement must include these writes.
  await prober.ask({ cores, reports: 0, perSecond });
  await pause(SETTLE_MS);
  const [recordedBefore, writtenBefore] = [await recorded(), await written()];
  const cpu = startCpuClocks(group);
  await prober.ask({ cores, reports: Math.round(SECONDS * perSecond), perSecond });
  await pause(SETTLE_MS);
  const spent = sum(cpu());
  const reports = (await recorded()) - recordedBefore;
  const records = (await written()) - writtenBefore;
  await prober.ask({ cores: [], reports: 0, perSecond });
  return { idle, cpu: spent / reports, written: records / reports };
}

function medianOf(costs: readonly ProbeCost[], figure: keyof ProbeCost): number {
  return median(costs.map(cost => cost[figure])) ?? Number.NaN;
}

/** Formats one cost figure as text: its median and its range over all rounds. */
function textOf(costs: readonly ProbeCost[], figure: keyof ProbeCost, digits: number): string {
  return medianAndRange(
    costs.map(cost => cost[figure]),
    digits,
  );
}

/**
 * Starts a core with the embedded store that tracks `servers` servers. Resolves when the core has loaded these servers.
 */
async function startEmbedded(servers: number): Promise<CoreGroup> {
  const directory = scratchDirectory();
  await writeTrackedServers(directory, servers, { intervalMs: INTERVAL_MS });
  return CoreGroup.start({ engine: undefined, cores: 1, env: { ...settings, ...ENV }, directory });
}

async function measureProbes(): Promise<void> {
  const directory = scratchDirectory();
  await writeTrackedServers(directory, TRACKED, { intervalMs: INTERVAL_MS });
  const groups = await ComparedGroups.start({
    directory,
    startEngine: () => EngineCluster.start('valkey'),
    env: ENV,
  });
  // If two or three cores share the reports of the prober, each core gets only a part of them. A core needs more CPU
  // time per report if it gets fewer reports. For a fair comparison, a single core with the embedded store is therefore
  // also measured with a half and with a third of the servers and of the reports.
  const parts = [await startEmbedded(TRACKED / 2), await startEmbedded(Math.round(TRACKED / 3))] as const;
  const prober = await Worker.start<InventedReports, void>(new URL('./invented-prober.ts', import.meta.url));
  try {
    const { embedded, one, two, three } = groups;
    const [half, third] = parts;
    for (const { internal: cores } of [embedded, half, third, one, two, three]) {
      const reports = WARM_UP_REPORTS * cores.length;
      await prober.ask({ cores, reports, perSecond: WARM_UP_PER_SECOND });
    }
    const whole = 'embedded, 1 core';
    const halved = 'embedded, 1 core, half of the servers and reports';
    const parted = 'embedded, 1 core, a third of the servers and reports';
    const rounds = await inTurn(
      {
        [whole]: () => costOf(prober, embedded),
        [halved]: () => costOf(prober, half, PER_SECOND / 2),
        [parted]: () => costOf(prober, third, PER_SECOND / 3),
        'Valkey, 1 core': () => costOf(prober, one),
        'Valkey, 2 cores': () => costOf(prober, two),
        'Valkey, 3 cores': () => costOf(prober, three),
      },
      ROUNDS,
    );
    const bases: Partial<Record<keyof typeof rounds, keyof typeof rounds>> = {
      'Valkey, 1 core': whole,
      'Valkey, 2 cores': halved,
      'Valkey, 3 cores': parted,
    };
    for (const name of Object.keys(rounds) as (keyof typeof rounds)[]) {
      const [costs, base] = [rounds[name], bases[name]];
      const ratio = base && medianOf(costs, 'cpu') / medianOf(rounds[base], 'cpu');
      process.stdout.write(
        `${name}: ${textOf(costs, 'cpu', 1)} µs a report` +
          `${ratio === undefined ? '' : `, ${ratio.toFixed(2)} of "${base}"`}; ` +
          `${textOf(costs, 'written', 2)} records written a report; ` +
          `${textOf(costs, 'idle', 0)} µs in a second without probes\n`,
      );
    }
  } finally {
    await prober.stop();
    for (const part of parts) await part.stop();
    await groups.stop();
  }
}

await measureProbes();
process.exit(0);
