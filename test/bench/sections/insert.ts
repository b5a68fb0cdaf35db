import { scratchDirectory } from '../../system/scratch-directory.ts';
import { allButOk } from '../load-generator.ts';
import { median } from '../rounds.ts';
import type { Bench, Section } from '../section.ts';
import { Service } from '../service.ts';
import type { Column } from '../table.ts';
import { aroundCpu } from '../throughput.ts';

const EACH = 100;
const REQUESTS = 1_000;
const CONNECTIONS = 16;
const RUNS = 3;
const SECONDS_AT_MOST = 30;

/**
 * Inserts new servers into a new core. Resolves to the number of inserted servers, the number of inserts a second, and
 * the CPU time for each new server in microseconds.
 */
async function insertOnce({ load }: Bench) {
  const service = await Service.start(scratchDirectory());
  try {
    const pids = { gateway: service.gateway.pid, core: service.core.pid };
    const requests = { kind: 'new', first: 0, requests: REQUESTS, each: EACH } as const;
    const { result, cpu } = await aroundCpu(pids, () =>
      load.run({ address: service.http, requests, connections: CONNECTIONS, seconds: SECONDS_AT_MOST }),
    );
    if (allButOk(result) > 0) throw new Error(`inserts were not answered 200: ${JSON.stringify(result)}`);
    const inserted = result.ok * EACH;
    const tracked = await service.tracked();
    if (tracked !== inserted) throw new Error(`${tracked} servers are tracked after ${inserted} inserts`);
    const each = (used: number | undefined) => used && used / inserted;
    return {
      inserted,
      rate: inserted / result.seconds,
      gatewayCpu: each(cpu.gateway),
      coreCpu: each(cpu.core),
      loadCpu: each(result.cpu),
    };
  } finally {
    await service.stop();
  }
}

const columns: Column[] = [
  { key: 'inserted', heading: 'inserted' },
  { key: 'rate', heading: 'new servers/s' },
  { key: 'gatewayCpu', heading: 'gateway µs', digits: 1 },
  { key: 'coreCpu', heading: 'core µs', digits: 1 },
  { key: 'loadCpu', heading: 'load µs', digits: 1 },
];

/**
 * Measures how fast the service inserts new servers. The core answers a fetch only after the new servers of the fetch
 * are on disk (fsync).
 */
export const insertSection: Section = async bench => {
  const runs: Awaited<ReturnType<typeof insertOnce>>[] = [];
  for (let run = 0; run < RUNS; run++) runs.push(await insertOnce(bench));
  const row = Object.fromEntries(
    columns.map(({ key }) => [key, median(runs.map(run => run[key as keyof typeof run]))]),
  );
  const notes = [
    `REST, ${EACH} new addresses a request, ${CONNECTIONS} connections, each run with an empty data directory;`,
    `median of ${RUNS} runs; µs: CPU of that process for each new server.`,
  ];
  return [{ title: 'Inserts until durable', notes, columns, rows: [row] }];
};
