/**
 * `npm run test:history` tests the history with a simulation. For many simulated days, the real recorder, store and
 * history observe simulated servers. Every answer about history and uptime must equal the answer of a plain history
 * that keeps all samples.
 *
 * npm run test:history -- [--servers N] [--days N] [--checks N] [--seed N]
 */
import { parseArgs } from 'node:util';
import { scratchDirectory } from '../system/scratch-directory.ts';
import { Simulation } from './simulation.ts';

/** Maximum number of faults that are printed. */
const SHOWN = 20;

const { values } = parseArgs({
  options: {
    servers: { type: 'string', default: '100' },
    days: { type: 'string', default: '40' },
    checks: { type: 'string', default: '8' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
  },
});
const numbers = [values.servers, values.days, values.checks, values.seed].map(Number);
const [servers, days, checks, seed] = numbers as [number, number, number, number];
if (!numbers.every(each => Number.isInteger(each) && each > 0)) {
  console.error('test:history: [--servers N] [--days N] [--checks N] [--seed N]');
  process.exit(2);
}

console.log(`seed ${seed}: ${servers} servers for ${days} days`);
const began = performance.now();
const { faults, figures } = await Simulation.run({
  directory: scratchDirectory(),
  servers,
  days,
  checks,
  seed,
});
const seconds = Math.round((performance.now() - began) / 1_000);
const text = Object.entries(figures).map(([name, count]) => `${name} ${count}`);
console.log(
  `${faults.length === 0 ? 'ok' : 'FAILED'}: ${text.join(', ')}; ${seconds} s; ${faults.length} faults`,
);
for (const fault of faults.slice(0, SHOWN)) console.log(`  ${fault}`);
process.exitCode = faults.length === 0 ? 0 : 1;
