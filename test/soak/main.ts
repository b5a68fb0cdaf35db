/**
 * Soak test: runs the whole service at peak load, then at half of it. Exits with 1 if a limit of docs/performance.md is
 * exceeded.
 *
 * npm run soak -- [--minutes N] [--servers N] [--json FILE]
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { FleetHosts } from '../bench/fleet-hosts.ts';
import { LoadGenerator } from '../bench/load-generator.ts';
import { describeMachine, thisMachine } from '../bench/machine.ts';
import { processNames } from '../system/stack-settings.ts';
import { tell } from './report.ts';
import { measurePeak, soak } from './soak.ts';
import { SoakedService } from './soaked-service.ts';

/** Load of the soak test, as a share of the measured peak load. */
const SHARE_OF_PEAK = 1 / 2;
// Maximum duration of a soak test, in minutes. It is less than two hours, because gsq probes a server less often if its
// players do not change for two hours. The load would then become lower.
const MAX_MINUTES = 110;
const SERVERS = { least: 1_000, most: 40_000 };
/** Maximum duration of the peak measurement, in seconds. */
const MOST_PEAK_SECONDS = 60;
const PEAK_SHARE = 1 / 4;

function options(): { minutes: number; servers: number; json: string | undefined } {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string', default: '2' },
      servers: { type: 'string', default: '40000' },
      json: { type: 'string' },
    },
  });
  const [minutes, servers] = [Number(values.minutes), Number(values.servers)];
  const serversFit = Number.isInteger(servers / 2) && servers >= SERVERS.least && servers <= SERVERS.most;
  if (!(minutes > 0 && minutes <= MAX_MINUTES) || !serversFit) {
    console.error(
      `soak: [--minutes N] [--servers N] [--json FILE]; minutes up to ${MAX_MINUTES}, servers: even, ${SERVERS.least} to ${SERVERS.most}`,
    );
    process.exit(2);
  }
  return { minutes, servers, json: values.json };
}

const { minutes, servers, json } = options();
const machine = thisMachine();
console.log(describeMachine(machine));
const fleet = await FleetHosts.start();
const load = await LoadGenerator.start();
let well = false;
try {
  const targets = await fleet.open('a2s', servers, true);
  const service = await SoakedService.start(targets.map(({ address, port }) => `${address}:${port}`));
  try {
    // Measures the peak load first. The same processes then run at half of this load, so memory that a process keeps
    // from the peak does not count as growth.
    const peak = await measurePeak(service, load, Math.min(MOST_PEAK_SECONDS, minutes * 60 * PEAK_SHARE));
    await service.calmTo(peak.probes * SHARE_OF_PEAK);
    const tracked = service.addresses.length;
    console.log(
      `peak: ${Math.round(peak.probes)} probes/s and ${Math.round(peak.fetches)} fetches/s; now half of both for ${minutes} min, ` +
        `with ${tracked} of ${servers} servers`,
    );
    const result = await soak(service, load, peak.fetches * SHARE_OF_PEAK, minutes * 60);
    for (const verdict of result.verdicts) tell(verdict);
    well = result.verdicts.every(({ met }) => met);
    const cores = processNames.map(name => `${name} ${result.cores[name].toFixed(2)}`);
    console.log(
      `worst p99 of a round ${Math.max(...result.p99).toFixed(1)} ms; cores: ${cores.join(', ')}`,
      well ? '\npassed' : '\nfailed',
    );
    if (json !== undefined) {
      writeFileSync(
        json,
        `${JSON.stringify({ machine, minutes, servers, tracked, peak, well, ...result }, null, 1)}\n`,
      );
    }
  } finally {
    await service.stop();
  }
} finally {
  await load.stop();
  await fleet.stop();
}
process.exit(well ? 0 : 1);
