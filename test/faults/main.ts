/**
 * `npm run test:faults`: what must not cost an acknowledged insert. SIGKILLs, power cuts and full disks under inserts,
 * damaged files, a second process, each with real cores; a checker of all that callers were told decides (history.ts).
 * As root on Linux; elsewhere power cuts and full disks are left out, and it says so.
 *
 * npm run test:faults -- [kills|power|disk]... [--kills N] [--inserts N] [--cuts N] [--seed N]
 */
import { parseArgs } from 'node:util';
import { scratchDirectory } from '../system/scratch-directory.ts';
import { damage } from './damage.ts';
import { fullDisk } from './full-disk.ts';
import { kills } from './kills.ts';
import { powerCuts } from './power.ts';

/** What came of one part: what is wrong, a line each, and what was done. */
export interface Report {
  faults: string[];
  figures: string;
}

const SHOWN = 20;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    kills: { type: 'string', default: '100' },
    inserts: { type: 'string', default: '100000' },
    cuts: { type: 'string', default: '10' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
  },
});
const [count, inserts, cuts, seed] = [values.kills, values.inserts, values.cuts, values.seed].map(Number) as [
  ...[number, number, number, number],
];
const parts = ['kills', 'power', 'disk'];
const wanted = positionals.length === 0 ? parts : positionals;
if (![count, inserts, cuts, seed].every(Number.isInteger) || wanted.some(part => !parts.includes(part))) {
  console.error('test:faults: [kills|power|disk]... [--kills N] [--inserts N] [--cuts N] [--seed N]');
  process.exit(2);
}

let well = true;
async function part(run: () => Promise<Report>): Promise<void> {
  const { faults, figures } = await run();
  console.log(`${faults.length === 0 ? 'ok' : 'FAILED'}: ${figures}; ${faults.length} faults`);
  for (const fault of faults.slice(0, SHOWN)) console.log(`  ${fault}`);
  if (faults.length > 0) well = false;
}

console.log(`seed ${seed}`);
if (wanted.includes('kills')) {
  const directory = `${scratchDirectory()}/data`;
  await part(() => kills(directory, count, inserts, seed));
  await part(() => damage(scratchDirectory(), directory));
}
const canMount = process.platform === 'linux' && process.getuid?.() === 0;
if (!canMount) console.log('left out, for they need root on Linux: power cuts, full disks');
if (canMount && wanted.includes('power')) await part(() => powerCuts(scratchDirectory(), cuts, seed));
if (canMount && wanted.includes('disk')) {
  await part(() => fullDisk(scratchDirectory(), true, seed));
  await part(() => fullDisk(scratchDirectory(), false, seed));
}
process.exitCode = well ? 0 : 1;
