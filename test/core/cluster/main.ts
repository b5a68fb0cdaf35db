/**
 * Simulates starts, stops and kills of cores in virtual time, until buckets (groups of servers) have moved a million
 * times. Prints how many buckets moved, how unequally they were shared, and how long they had no owner.
 *
 *   node --import ./runtime/typescript.mjs test/core/cluster/main.ts [--cores N] [--takeovers N] [--seed N]
 */
import { parseArgs } from 'node:util';
import { runCampaign } from './campaign.ts';
import { Simulation } from './simulation.ts';

const { values } = parseArgs({
  options: {
    cores: { type: 'string', default: '200' },
    takeovers: { type: 'string', default: '1000000' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
  },
});
const [cores = 0, takeovers = 0, seed = 0] = [values.cores, values.takeovers, values.seed].map(Number);
/** Number of takeovers (a group of servers gets a new owner) between two lines of progress. */
const SHOWN = takeovers / 200;

const began = performance.now();
const cluster = new Simulation({ cores, seed });
let shown = 0;
const report = await runCampaign(cluster, takeovers, done => {
  if (done < shown) return;
  shown += SHOWN;
  const { user, system } = process.cpuUsage();
  const cpu = Math.round((user + system) / 1e6);
  const passed = Math.round((performance.now() - began) / 1000);
  process.stdout.write(`${done} takeovers after ${passed} s, with ${cpu} s of CPU time\n`);
});
const virtual = Math.round(cluster.clock.now / 1000);
process.stdout.write(
  `${cores} cores, seed ${seed}, ${virtual} s of virtual time, ${cluster.lost} lost leases\n`,
);
process.stdout.write(`${JSON.stringify(report, undefined, 2)}\n`);
