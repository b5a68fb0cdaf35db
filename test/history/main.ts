/**
 * `npm run test:history` tests the history with a simulation of many days. Every answer about history and uptime must
 * be equal to the answer of a simple reference history:
 *
 *   npm run test:history -- [--servers N] [--days N] [--checks N] [--seed N]
 *
 * This command measures the cost of the history:
 *
 *   npm run test:history -- cost [--servers N] [--hours N] [--rounds N]
 */
import { parseArgs } from 'node:util';
import { scratchDirectory } from '../system/scratch-directory.ts';
import { MOST_HOURS, measureHistoryCost } from './cost/cost.ts';
import { Simulation } from './simulation.ts';

/** Maximum number of errors of the history that this command prints. */
const SHOWN = 20;
const USAGE =
  'test:history: [--servers N] [--days N] [--checks N] [--seed N], or cost [--servers N] [--hours N] [--rounds N]';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    servers: { type: 'string' },
    days: { type: 'string', default: '40' },
    checks: { type: 'string', default: '8' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
    hours: { type: 'string', default: '3' },
    rounds: { type: 'string', default: '1' },
  },
});

/** Parses a positive integer of the command line. Ends this process if the text is not a positive integer. */
function positive(text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value > 0) return value;
  console.error(USAGE);
  process.exit(2);
}

async function simulate(): Promise<readonly string[]> {
  const [servers, days] = [positive(values.servers ?? '100'), positive(values.days)];
  const [checks, seed] = [positive(values.checks), positive(values.seed)];
  console.log(`seed ${seed}: ${servers} servers for ${days} days`);
  const { faults, figures } = await Simulation.run({
    directory: scratchDirectory(),
    servers,
    days,
    checks,
    seed,
  });
  console.log(
    Object.entries(figures)
      .map(([name, count]) => `${name} ${count}`)
      .join(', '),
  );
  return faults;
}

/** Measures writes, CPU time, disk space and read times of the history. Returns one fault for each failed check. */
function measureCost(): Promise<readonly string[]> {
  const [servers, hours] = [positive(values.servers ?? '20000'), positive(values.hours)];
  if (hours > MOST_HOURS) {
    console.error(`test:history: at most ${MOST_HOURS} hours`);
    process.exit(2);
  }
  // For a correct measurement of the disk space, use at least 10,000 servers. With fewer servers, LevelDB's log still
  // contains old daily summaries that were already replaced. The measured size is then too large.
  return measureHistoryCost({ servers, hours, rounds: positive(values.rounds) });
}

const [suite, ...rest] = positionals;
if (rest.length > 0 || (suite !== undefined && suite !== 'cost')) {
  console.error(USAGE);
  process.exit(2);
}
const began = performance.now();
const faults = await (suite === 'cost' ? measureCost() : simulate());
const seconds = Math.round((performance.now() - began) / 1_000);
console.log(`${faults.length === 0 ? 'ok' : 'FAILED'}: ${seconds} s; ${faults.length} faults`);
for (const fault of faults.slice(0, SHOWN)) console.log(`  ${fault}`);
process.exitCode = faults.length === 0 ? 0 : 1;
