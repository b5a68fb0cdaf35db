import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { scratchDirectory } from '../system/scratch-directory.ts';
import type { FleetTarget } from './fleet-member.ts';
import type { SweepResult } from './probe-load.ts';
import { cpuOfEndedChildren } from './process-usage.ts';

const run = promisify(execFile);
const MAX_OUTPUT = 64 * 1024 * 1024;

/**
 * Queries all servers of a list with the program quakestat, for comparison with gsq. Resolves to undefined if quakestat
 * is not installed.
 */
export async function quakestatSweep(
  targets: readonly FleetTarget[],
  inFlight: number,
): Promise<SweepResult | undefined> {
  const list = join(scratchDirectory(), 'servers.txt');
  writeFileSync(list, targets.map(({ address, port }) => `Q3S ${address}:${port}\n`).join(''));
  // The fastest options of quakestat. `-P` also requests the players, but needs only one query per server instead of
  // two.
  const options = [
    '-nocfg',
    '-json',
    '-P',
    '-timeout',
    '30',
    '-interval',
    '1',
    '-retry',
    '3',
    '-sendinterval',
    '0',
  ];
  const before = cpuOfEndedChildren() ?? Number.NaN;
  const startedAt = performance.now();
  let stdout: string;
  try {
    ({ stdout } = await run('quakestat', [...options, '-maxsim', String(inFlight), '-f', list], {
      maxBuffer: MAX_OUTPUT,
    }));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
  const seconds = (performance.now() - startedAt) / 1000;
  const cpu = (cpuOfEndedChildren() ?? Number.NaN) - before;
  const truth = new Map(targets.map(target => [`${target.address}:${target.port}`, target]));
  const result = { online: 0, wrong: 0, lost: 0, seconds, cpu };
  for (const { address, status, name, numplayers } of JSON.parse(stdout)) {
    const target = truth.get(address);
    if (status !== 'online' || !target) result.lost++;
    else if (name === target.name && numplayers === target.players) result.online++;
    else result.wrong++;
  }
  return result;
}
