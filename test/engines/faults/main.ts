/**
 * Fault test: checks that a cluster of gsq survives faults and loses no acknowledged insert. Faults are, for example,
 * killed processes, a master that is cut off, and full memory.
 *
 *   npm run test:engines -- faults [--engine redis|valkey] [--rounds N] [--servers N] [--inserts N] [--seed N]
 *     [--only TEXT]
 */
import { parseArgs } from 'node:util';
import { enterOwnNetwork } from '../../system/network-namespace.ts';
import { ENGINE_KINDS } from '../engine-program.ts';
import { runCampaign } from './campaign.ts';
import { FAULTS } from './faults.ts';
import { allowPartitions } from './partition.ts';

const USAGE =
  'test:engines: faults [--engine redis|valkey] [--rounds N] [--servers N] [--inserts N] [--seed N] [--only TEXT]; without --engine, valkey';
/** Maximum number of errors of gsq that the fault test prints at its end. */
const SHOWN = 20;
/**
 * Time limit for the faults if the test is started without --rounds, in milliseconds. The test causes each kind of
 * fault once, even if this takes longer than the limit. In the time that remains, it causes faults a second time. With
 * this limit, the whole fault test takes about six minutes.
 */
const LIMIT_MS = 280_000;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    engine: { type: 'string', default: 'valkey' },
    rounds: { type: 'string' },
    servers: { type: 'string', default: '0' },
    inserts: { type: 'string', default: '20000' },
    only: { type: 'string', default: '' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
  },
});
const kind = ENGINE_KINDS.find(each => each === values.engine);
const numbers = [values.rounds ?? '2', values.servers, values.inserts, values.seed].map(Number);
const [rounds = 0, servers = 0, inserts = 0, seed = 0] = numbers;
const isKnown = [...FAULTS.keys()].some(name => name.includes(values.only));
if (!kind || !isKnown || positionals.length > 1 || !numbers.every(Number.isInteger)) {
  console.error(USAGE);
  process.exit(2);
}

const canPartition = process.platform === 'linux' && process.getuid?.() === 0;
if (canPartition) {
  await enterOwnNetwork();
  await allowPartitions();
} else console.log('skipped, because it needs root on Linux: a master that is cut off from the other nodes');
const began = performance.now();
console.log(`seed ${seed}`);
// Runs three cores, two gateways and three probers with a real storage engine: three masters and three replicas. After
// each fault, gsq must accept inserts again, and probe all game servers again.
const { faults, figures } = await runCampaign({
  kind,
  rounds,
  limitMs: values.rounds === undefined ? LIMIT_MS : Number.POSITIVE_INFINITY,
  servers,
  inserts,
  seed,
  only: values.only,
  canPartition,
  print: line => console.log(line),
});
const seconds = Math.round((performance.now() - began) / 1_000);
console.log(`${faults.length === 0 ? 'ok' : 'FAILED'}: ${figures}; ${seconds} s; ${faults.length} faults`);
for (const fault of faults.slice(0, SHOWN)) console.log(`  ${fault}`);
process.exitCode = faults.length === 0 ? 0 : 1;
