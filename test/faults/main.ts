/**
 * `npm run test:faults` checks that the core loses no acknowledged insert and no finished hour of the history. Power
 * cuts, full disks and read-only disks are tested only as root on Linux.
 *
 * npm run test:faults -- [kills|history|damage|power|disk]... [--kills N] [--history-kills N] [--inserts N] [--damages N] [--cuts N] [--seed N]
 */
import { parseArgs } from 'node:util';
import { scratchDirectory } from '../system/scratch-directory.ts';
import { damage } from './damage.ts';
import { fullDisk } from './full-disk.ts';
import { historyKills } from './history-kills.ts';
import { kills } from './kills.ts';
import { powerCuts } from './power.ts';
import { randomDamage } from './random-damage.ts';
import { readOnlyDisk } from './read-only.ts';

/**
 * Result of one fault test, such as `kills`. `faults`: one line for each error of gsq that the test found. `figures`:
 * a summary in one line.
 */
export interface Report {
  faults: string[];
  figures: string;
}

const SHOWN = 20;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    kills: { type: 'string', default: '100' },
    'history-kills': { type: 'string', default: '25' },
    inserts: { type: 'string', default: '100000' },
    damages: { type: 'string', default: '300' },
    cuts: { type: 'string', default: '10' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
  },
});
const numbers = [
  values.kills,
  values['history-kills'],
  values.inserts,
  values.damages,
  values.cuts,
  values.seed,
].map(Number);
const [count, ofHistory, inserts, damages, cuts, seed] = numbers as [
  number,
  number,
  number,
  number,
  number,
  number,
];
const TESTS = ['kills', 'history', 'damage', 'power', 'disk'];
const wanted = positionals.length === 0 ? TESTS : positionals;
if (!numbers.every(Number.isInteger) || wanted.some(name => !TESTS.includes(name))) {
  console.error(
    'test:faults: [kills|history|damage|power|disk]... [--kills N] [--history-kills N] [--inserts N] [--damages N] [--cuts N] [--seed N]',
  );
  process.exit(2);
}

let well = true;
async function runTest(run: () => Promise<Report>): Promise<void> {
  const { faults, figures } = await run();
  console.log(`${faults.length === 0 ? 'ok' : 'FAILED'}: ${figures}; ${faults.length} faults`);
  for (const fault of faults.slice(0, SHOWN)) console.log(`  ${fault}`);
  if (faults.length > 0) well = false;
}

console.log(`seed ${seed}`);
if (wanted.includes('kills')) {
  const directory = `${scratchDirectory()}/data`;
  await runTest(() => kills(directory, count, inserts, seed));
  await runTest(() => damage(scratchDirectory(), directory));
}
if (wanted.includes('history')) await runTest(() => historyKills(scratchDirectory(), ofHistory, seed));
if (wanted.includes('damage')) await runTest(() => randomDamage(scratchDirectory(), damages, seed));
const canMount = process.platform === 'linux' && process.getuid?.() === 0;
if (!canMount) console.log('skipped, because they need root on Linux: power cuts, full and read-only disks');
if (canMount && wanted.includes('damage')) await runTest(() => readOnlyDisk(scratchDirectory()));
if (canMount && wanted.includes('power')) await runTest(() => powerCuts(scratchDirectory(), cuts, seed));
if (canMount && wanted.includes('disk')) {
  await runTest(() => fullDisk(scratchDirectory(), true, seed));
  await runTest(() => fullDisk(scratchDirectory(), false, seed));
}
process.exitCode = well ? 0 : 1;
