import { type Column, renderTable, type Table } from '../../bench/table.ts';
import { Worker } from '../../bench/worker.ts';
import type { Measurement } from './process.ts';
import type { Retained, RetainedJob } from './retained-history.ts';
import type { Cost, CostJob } from './simulated-cost.ts';

/** Maximum size of the history of one server on disk, in bytes. */
const MOST_BYTES = 5_000;
/** Largest allowed relative difference between the numbers of record writes with and without history. 0.02 is 2 %. */
const MOST_DIFFERENCE = 0.02;
/**
 * Number of hours of samples that are on disk if the history is full: the 24 hours of the retention, and seven older
 * hours. Older samples stay for some time, because gsq deletes only whole directories, each with six hours.
 */
const HOURS_OF_MINUTES = 31;
const MONTHS_IN_YEAR = 12;
/**
 * KEPT: number of servers whose stored history is measured. KEPT_DAYS: number of days of their history. The retention
 * of quarter-hour summaries is 30 days. Up to three more days stay on disk, because gsq deletes only whole
 * directories, each with three days.
 */
const KEPT = 200;
const KEPT_DAYS = 33;
/**
 * Maximum number of simulated hours. In a longer simulation, the core would delete the first samples. The measured mean
 * size of one hour of samples would then be wrong.
 */
export const MOST_HOURS = 30;

const PROCESS = new URL('./process.ts', import.meta.url);

/**
 * Extent of the measurement: the number of servers, of simulated hours, and of rounds. Each round simulates the same
 * servers twice: once with history, and once without.
 */
export interface CostOptions {
  readonly servers: number;
  readonly hours: number;
  readonly rounds: number;
}

async function inOwnProcess<Result>(measurement: Measurement): Promise<Result> {
  const worker = await Worker.start<Measurement, Result>(PROCESS);
  try {
    return await worker.ask(measurement);
  } finally {
    await worker.stop();
  }
}

const simulate = (job: CostJob): Promise<Cost> => inOwnProcess({ cost: job });
const measureRetained = (job: RetainedJob): Promise<Retained> => inOwnProcess({ retained: job });

const costColumns: Column[] = [
  { key: 'kind', heading: 'history' },
  { key: 'probes', heading: 'probes' },
  { key: 'recordWrites', heading: 'record writes/s', digits: 2 },
  { key: 'historyWrites', heading: 'history writes/s', digits: 2 },
  { key: 'main', heading: 'main µs', digits: 2 },
  { key: 'compaction', heading: 'compaction µs', digits: 3 },
  { key: 'others', heading: 'other threads µs', digits: 2 },
  { key: 'store', heading: 'store B' },
  { key: 'minutes', heading: 'samples B' },
  { key: 'quarters', heading: 'quarters B' },
  { key: 'days', heading: 'days B' },
  { key: 'seconds', heading: 'took s' },
];

function costRow({ servers, hours, withHistory }: CostJob, cost: Cost): Table['rows'][0] {
  const perProbe = (seconds: number): number => (seconds * 1e6) / cost.probes;
  return {
    kind: withHistory ? 'with' : 'without',
    probes: cost.probes,
    recordWrites: cost.recordWrites / (hours * 3_600),
    historyWrites: cost.written / (hours * 3_600),
    main: perProbe(cost.cpu.main),
    compaction: perProbe(cost.cpu.compaction),
    others: perProbe(cost.cpu.others),
    store: cost.storeBytes / servers,
    minutes: cost.minutesBytes / servers,
    quarters: cost.quartersBytes / servers,
    days: cost.daysBytes / servers,
    seconds: cost.seconds,
  };
}

/** Checks the results of a simulation that measures the cost of the history. Returns one line for each failed check. */
function faultsOf({ servers, hours, withHistory }: CostJob, cost: Cost): string[] {
  const faults: string[] = [];
  const { probes, recorded, sealed, written, faults: lost } = cost;
  if (recorded !== probes) faults.push(`${probes} probes were reported and ${recorded} recorded`);
  // Checks the mean number of probes: at least 30 per server and hour. A server with players is probed 60 times an
  // hour, and an empty server less often.
  if (probes < servers * hours * 30) faults.push(`only ${probes} probes were made`);
  if (!withHistory) return faults;
  if (written !== sealed) faults.push(`${sealed} hours were sealed and ${written} written`);
  // Checks that the servers have on average at least `hours - 1` finished hours of samples. The simulation begins and
  // ends in the middle of an hour of samples. So the first and the last hour of a server are incomplete, and together
  // they last about one hour.
  if (sealed < servers * (hours - 1)) faults.push(`only ${sealed} hours were sealed`);
  if (lost > 0) faults.push(`the history counts ${lost} failed, dropped or damaged entries`);
  return faults;
}

/**
 * Compares the simulations with and without history. Returns an error line if their numbers of probes differ, or if
 * their numbers of record writes differ by more than MOST_DIFFERENCE.
 */
function differences(without: Cost, withHistory: Cost): string[] {
  if (without.probes !== withHistory.probes)
    return [`${without.probes} probes were made without history and ${withHistory.probes} with it`];
  const share = withHistory.recordWrites / without.recordWrites - 1;
  if (Math.abs(share) <= MOST_DIFFERENCE) return [];
  const writes = `${without.recordWrites} records were written without history and ${withHistory.recordWrites} with it`;
  return [`${writes}: they differ by ${(share * 100).toFixed(1)} %`];
}

/**
 * Returns a table that shows how many bytes a complete history takes on disk for each server. Each row is one part of
 * the history, with its size, and how this size was measured or computed.
 */
function sizeTable(
  { servers, hours }: CostOptions,
  ran: Cost,
  retained: Retained,
): { table: Table; sum: number } {
  const anHour = ran.minutesBytes / ran.sealed;
  const rows = [
    {
      part: 'samples, a day',
      bytes: anHour * HOURS_OF_MINUTES,
      how: `projected: ${HOURS_OF_MINUTES} hours of ${anHour.toFixed(1)} B, as in the ${hours} hours that ran`,
    },
    {
      part: 'quarter hours, 30 days',
      bytes: retained.quarters,
      how: `measured with ${KEPT} servers for ${KEPT_DAYS} days; projected to ${servers} servers`,
    },
    {
      part: 'days, this month',
      bytes: retained.currentMonth,
      how: `largest size of a month of ${servers} servers, random values of the measured length`,
    },
    {
      part: 'days, a year',
      bytes: MONTHS_IN_YEAR * retained.finishedMonth,
      how: `projected: ${MONTHS_IN_YEAR} such months after their compaction, ${retained.finishedMonth.toFixed(0)} B each`,
    },
  ];
  const sum = rows.reduce((total, { bytes }) => total + bytes, 0);
  const table = {
    title: 'Bytes a server on disk for the whole retention',
    notes: [
      `What ran: ${((ran.minutesBytes + ran.quartersBytes + ran.daysBytes) / servers).toFixed(0)} bytes a server after ` +
        `${hours} hours. The samples of a day are at most ${HOURS_OF_MINUTES} hours on disk, and ` +
        `${retained.minutes.toFixed(0)} bytes a server with ${KEPT} servers.`,
    ],
    columns: [
      { key: 'part', heading: 'part' },
      { key: 'bytes', heading: 'bytes' },
      { key: 'how', heading: 'how' },
    ],
    rows: [...rows, { part: 'all', bytes: sum, how: `target: at most ${MOST_BYTES}` }],
  };
  return { table, sum };
}

/**
 * Measures what the history costs, and prints tables. Each measurement runs in a process of its own. Returns one line
 * for each failed check.
 */
export async function measureHistoryCost(options: CostOptions): Promise<string[]> {
  const { servers, hours, rounds } = options;
  const faults: string[] = [];
  const rows: Table['rows'] = [];
  let last: { without: Cost; with: Cost } | undefined;
  for (let round = 0; round < rounds; round++) {
    const jobs = [false, true].map(withHistory => ({ servers, hours, withHistory }));
    const costs: Cost[] = [];
    for (const job of jobs) {
      const cost = await simulate(job);
      costs.push(cost);
      rows.push(costRow(job, cost));
      faults.push(...faultsOf(job, cost));
    }
    const [without, withHistory] = costs;
    if (!without || !withHistory) continue;
    faults.push(...differences(without, withHistory));
    last = { without, with: withHistory };
  }
  const table = {
    title: `${servers} servers for ${hours} simulated hours`,
    notes: ['CPU times are microseconds of a probe, and bytes are those of a server on disk.'],
    columns: costColumns,
    rows,
  };
  console.log(renderTable(table));
  const retained = await measureRetained({ kept: KEPT, days: KEPT_DAYS, probed: servers });
  console.log(
    `\nRead of 30 days of one server beside ${retained.probesBeside} probes of ${servers} servers: ` +
      `p50 ${retained.readP50.toFixed(1)} ms, p99 ${retained.readP99.toFixed(1)} ms (target: at most 20)\n`,
  );
  if (!last) return faults;
  const sizes = sizeTable(options, last.with, retained);
  console.log(renderTable(sizes.table));
  if (sizes.sum > MOST_BYTES) faults.push(`a server takes ${sizes.sum.toFixed(0)} bytes`);
  return faults;
}
