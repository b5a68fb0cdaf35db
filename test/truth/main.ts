/**
 * Checks the claims of docs/truth.md in a simulation: are the statuses "online" and "offline" of game servers true? The
 * exit status is 1 if a claim is not true.
 *
 *   npm run test:truth -- [--long] [--cell TEXT] [--seed N] [--trace ADDRESS]
 */
import { parseArgs } from 'node:util';
import { Worker } from '../bench/worker.ts';
import { cellName, type Job, jobsFor, joinCells, type Outcome } from './cells.ts';
import { judge } from './claims.ts';
import { cellTable, verdictLines } from './report.ts';

const WORKERS = 2;
/** Maximum number of false offline reports that the script prints. */
const SHOWN = 20;

const { values } = parseArgs({
  options: {
    // Runs more simulations, so that each claim about false offline reports is checked with at least a million probes.
    long: { type: 'boolean', default: false },
    // Simulates only the cases whose name contains this text. The name of a case consists of its scenario, servers per
    // host and packet loss, for example `one-ends/50/5%`.
    cell: { type: 'string', default: '' },
    // Seed of the random numbers: a whole number.
    seed: { type: 'string', default: '1' },
    // Prints every recorded probe of the servers whose address begins with this text.
    trace: { type: 'string', default: '' },
  },
});
const seed = Number(values.seed);
const jobs = Number.isInteger(seed) ? jobsFor(values.cell, values.long, seed, values.trace) : [];
if (jobs.length === 0) {
  console.error(
    'test:truth: [--long] [--cell TEXT] [--seed N] [--trace ADDRESS]; no cell is named so, or the seed is no whole number',
  );
  process.exit(2);
}

/** Runs simulations in one worker process until no simulation is left. */
async function work(left: Job[], outcomes: Outcome[]): Promise<void> {
  const worker = await Worker.start<Job, Outcome>(new URL('./worker.ts', import.meta.url));
  try {
    for (let job = left.shift(); job; job = left.shift()) outcomes.push(await worker.ask(job));
  } finally {
    await worker.stop();
  }
}

/**
 * Returns one line for each false offline report. Each line contains the command-line options that reproduce the
 * report.
 */
function wrongLines(outcomes: readonly Outcome[]): string[] {
  return outcomes.flatMap(({ job, falseOfflines }) =>
    falseOfflines.map(({ server, size, at, silentSince, mode }) => {
      const cell = cellName({ ...job, size });
      const silent = ((at - silentSince) / 1000).toFixed(1);
      return `false offline: --cell ${cell} --seed ${job.seed} --trace ${server} at ${(at / 1000).toFixed(1)} s, ${mode}, silent for ${silent} s`;
    }),
  );
}

const began = performance.now();
console.log(`${jobs.length} simulations, seed ${seed}`);
const outcomes: Outcome[] = [];
const left = [...jobs];
await Promise.all(Array.from({ length: Math.min(WORKERS, jobs.length) }, () => work(left, outcomes)));
const cells = joinCells(outcomes.flatMap(outcome => outcome.cells)).filter(cell =>
  cellName(cell).includes(values.cell),
);
console.log(cellTable(cells));
for (const line of wrongLines(outcomes).slice(0, SHOWN)) console.log(line);
const probes = cells.reduce((sum, { counters }) => sum + counters.probes, 0);
const cpuSeconds = outcomes.reduce((sum, outcome) => sum + outcome.cpuSeconds, 0);
console.log(
  `${probes} probes in ${((performance.now() - began) / 1000).toFixed(0)} s, ${((cpuSeconds * 1e6) / probes).toFixed(0)} µs of CPU each`,
);
const verdicts = judge(cells, values.long && values.cell === '');
console.log(verdictLines(verdicts));
process.exitCode = verdicts.every(({ held }) => held) ? 0 : 1;
