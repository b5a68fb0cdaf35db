import { readFileSync } from 'node:fs';
import { availableParallelism, cpus, release, type as system, totalmem } from 'node:os';

/** Description of the machine on which the bench runs. */
export interface Machine {
  cpu: string;
  cores: number;
  memoryBytes: number;
  kernel: string;
  node: string;
}

export function thisMachine(): Machine {
  return {
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    memoryBytes: totalmem(),
    kernel: `${system()} ${release()}`,
    node: process.version,
  };
}

/** Returns a one-line description of the machine on which the bench runs. */
export function describeMachine({ cpu, cores, memoryBytes, kernel, node }: Machine): string {
  return `${cpu}, ${cores} cores, ${(memoryBytes / 2 ** 30).toFixed(0)} GiB; ${kernel}; Node ${node}`;
}

/**
 * CPU time of all cores since boot, in ticks. `all` is the total. `stolen` is the part that the host gave to other
 * virtual machines.
 */
interface CpuTime {
  all: number;
  stolen: number;
}

function cpuTime(): CpuTime | undefined {
  try {
    const [, ...kinds] = readFileSync('/proc/stat', 'latin1').split('\n', 1).join().split(/ +/);
    // Uses only the first eight numbers of the `cpu` line of /proc/stat. The last two numbers, `guest` and
    // `guest_nice`, are already included in `user` and `nice` (proc(5)).
    const ticks = kinds.slice(0, 8).map(Number);
    return { all: ticks.reduce((sum, of) => sum + of, 0), stolen: ticks[7] ?? 0 };
  } catch {
    return undefined;
  }
}

/**
 * Runs `work`. Resolves to its result and to the percentage of CPU time that the host gave to other virtual machines
 * during the work. The percentage is undefined outside Linux.
 */
export async function aroundStolen<Result>(
  work: () => Promise<Result>,
): Promise<{ result: Result; stolen: number | undefined }> {
  const before = cpuTime();
  const result = await work();
  const after = cpuTime();
  const stolen = before && after && (100 * (after.stolen - before.stolen)) / (after.all - before.all);
  return { result, stolen };
}
