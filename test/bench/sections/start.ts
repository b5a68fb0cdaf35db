import { ask } from '../../gateway/ask.ts';
import { Launched } from '../../system/launched.ts';
import { cpuOf } from '../process-usage.ts';
import { median } from '../rounds.ts';
import type { Section } from '../section.ts';
import { type Column, judged, judgedColumns } from '../table.ts';

const TARGET_SECONDS = 1.5;

/**
 * Starts the service with an empty data directory. Resolves to the seconds until the first REST response, and to the
 * CPU seconds of all processes until then.
 */
async function startOnce() {
  const startedAt = performance.now();
  const launched = await Launched.start({ GSQ_LOG_LEVEL: 'warn' });
  try {
    const { status } = await ask(launched.addresses.GSQ_HTTP_ADDR ?? '', { path: '/v1/get/games' });
    const seconds = (performance.now() - startedAt) / 1000;
    if (status !== 200) throw new Error(`the catalog was answered with ${status}`);
    const pids = [
      launched.launcher.pid,
      ...['core', 'prober', 'notifier', 'gateway'].flatMap(name => launched.runs(name)),
    ];
    const used = pids.map(cpuOf);
    const cpu = used.every(one => one !== undefined)
      ? used.reduce((sum, one) => sum + one, 0) / 1e6
      : undefined;
    return { seconds, cpu };
  } finally {
    await launched.launcher.stop();
  }
}

const columns: Column[] = [
  { key: 'node', heading: 'Node' },
  { key: 'seconds', heading: 'seconds', digits: 2 },
  { key: 'cpu', heading: 'CPU seconds', digits: 2 },
  ...judgedColumns,
];

/** Measures the time from `gsq start` (the command that `npm start` runs) to the first response. */
export const startSection: Section = async ({ rounds }) => {
  // Starts the service once without measuring it. This first start fills the cache of compiled code, which the measured
  // starts then use.
  await startOnce();
  const runs: Awaited<ReturnType<typeof startOnce>>[] = [];
  for (let round = 0; round < rounds; round++) runs.push(await startOnce());
  const seconds = median(runs.map(run => run.seconds));
  const row = {
    node: process.version,
    seconds,
    cpu: median(runs.map(run => run.cpu)),
    ...judged(seconds, '<=', TARGET_SECONDS, 1),
  };
  const notes = [`From the start of the launcher to the first answer; median of ${rounds} starts.`];
  return [{ title: 'From start to the first answer', notes, columns, rows: [row] }];
};
