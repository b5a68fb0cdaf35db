import { cpuOf } from './process-usage.ts';
import { median } from './rounds.ts';

/** Throughput and CPU costs in one round of a closed-loop load: each answered request is followed by a new request. */
export interface Throughput {
  /** Number of responses a second that the load generator received. */
  rate: number;
  /**
   * CPU time in microseconds for each response, keyed by process. The key of the load generator is `load`. A value is
   * undefined if it cannot be measured.
   */
  cpu: Record<string, number | undefined>;
}

/**
 * Computes the throughput from the number of responses, the duration in seconds and the total CPU time of each process
 * in microseconds.
 */
export function throughputOf(answers: number, seconds: number, cpu: Throughput['cpu']): Throughput {
  const each = Object.entries(cpu).map(([name, used]) => [name, used && used / answers]);
  return { rate: answers / seconds, cpu: Object.fromEntries(each) };
}

/**
 * Runs `work`. Resolves to its result and to the CPU time that each process of `servers` used during the work, in
 * microseconds.
 */
export async function aroundCpu<Result>(
  servers: Readonly<Record<string, number>>,
  work: () => Promise<Result>,
): Promise<{ result: Result; cpu: Record<string, number | undefined> }> {
  const before = Object.values(servers).map(cpuOf);
  const result = await work();
  const cpu: Record<string, number | undefined> = {};
  Object.entries(servers).forEach(([name, pid], i) => {
    const [from, to] = [before[i], cpuOf(pid)];
    cpu[name] = from === undefined || to === undefined ? undefined : to - from;
  });
  return { result, cpu };
}

/** Returns the ratio of the throughput of gsq to the throughput of the reference server: the median over the rounds. */
export function medianRatio(
  product: readonly Throughput[],
  floor: readonly Throughput[],
): number | undefined {
  return median(product.map(({ rate }, round) => rate / (floor[round]?.rate ?? Number.NaN)));
}

/** Returns the CPU time that a process used for each response, in microseconds. It is the median over the rounds. */
export function medianCpu(rounds: readonly Throughput[], process: string): number | undefined {
  return median(rounds.map(({ cpu }) => cpu[process]));
}
