import { join } from 'node:path';
import { scratchDirectory } from '../../system/scratch-directory.ts';
import { directoryBytes } from './directory-bytes.ts';
import { ProbedServers } from './probed-servers.ts';
import { type CpuSeconds, ThreadCpu } from './thread-cpu.ts';

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
const BEGIN = Date.UTC(2026, 0, 1);

/** What to simulate: how many servers and hours, with or without history. */
export interface CostJob {
  readonly servers: number;
  readonly hours: number;
  readonly withHistory: boolean;
}

/** Results of a simulation. `written`: entries that the history wrote. `faults`: entries that the history lost. */
export interface Cost {
  readonly probes: number;
  readonly recorded: number;
  readonly recordWrites: number;
  readonly sealed: number;
  readonly written: number;
  readonly faults: number;
  readonly cpu: CpuSeconds;
  readonly seconds: number;
  readonly storeBytes: number;
  /** Size on disk of each resolution of the history, in bytes. */
  readonly minutesBytes: number;
  readonly quartersBytes: number;
  readonly daysBytes: number;
}

/** Returns the address of a simulated server. */
export function addressAt(server: number): string {
  return `5.${server >> 16}.${(server >> 8) & 255}.${server & 255}:27015`;
}

/**
 * Runs a simulation, much faster than real time. Measures the CPU time of the whole process, so nothing else may run in
 * this process.
 */
export async function simulateCost({ servers, hours, withHistory }: CostJob): Promise<Cost> {
  const threads = await ThreadCpu.start();
  const before = threads.seconds;
  const began = performance.now();
  const directory = scratchDirectory();
  const fleet = await ProbedServers.open({ directory, servers, withHistory, beginAt: BEGIN });
  const { clock, history } = fleet;
  const addresses = Array.from({ length: servers }, (_, i) => addressAt(i));
  // Inserts the servers spread over the first minute, so that their probes are also spread over each later minute.
  const atOnce = Math.ceil(servers / 60);
  for (; clock.at < BEGIN + hours * HOUR; clock.at += SECOND) {
    if (addresses.length > 0) await fleet.insert(addresses.splice(0, atOnce));
    fleet.probeDue();
    await fleet.settle();
  }
  await fleet.close();
  const after = threads.seconds;
  const {
    written = 0,
    failures = 0,
    dropped = 0,
    queued = 0,
    corrupt = 0,
    damaged = 0,
  } = history?.counters ?? {};
  const bytesOf = (tier: string): number => directoryBytes(join(directory, 'history', tier));
  return {
    ...fleet.counts,
    ...{ written, faults: failures + dropped + queued + corrupt + damaged },
    cpu: {
      main: after.main - before.main,
      compaction: after.compaction,
      others: after.others - before.others,
    },
    seconds: (performance.now() - began) / 1_000,
    storeBytes: directoryBytes(join(directory, 'leveldb')),
    minutesBytes: bytesOf('minutes'),
    quartersBytes: bytesOf('quarters'),
    daysBytes: bytesOf('days'),
  };
}
