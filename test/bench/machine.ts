import { availableParallelism, cpus, release, type as system, totalmem } from 'node:os';

/** What the figures were measured on. */
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

/** One line, for people. */
export function describeMachine({ cpu, cores, memoryBytes, kernel, node }: Machine): string {
  return `${cpu}, ${cores} cores, ${(memoryBytes / 2 ** 30).toFixed(0)} GiB; ${kernel}; Node ${node}`;
}
