import { cpuOf } from './process-usage.ts';
import { median } from './rounds.ts';

/** Result of one closed-loop round. */
export interface Throughput {
  /** Number of responses a second. */
  rate: number;
  /**
   * CPU microseconds for each response, by server process and for the load generator (`load`); undefined if
   * they cannot be measured.
   */
  cpu: Record<string, number | undefined>;
}

/** Converts totals to figures for each response. `cpu` is the total CPU time in microseconds. */
export function throughputOf(answers: number, seconds: number, cpu: Throughput['cpu']): Throughput {
  const each = Object.entries(cpu).map(([name, used]) => [name, used && used / answers]);
  return { rate: answers / seconds, cpu: Object.fromEntries(each) };
}

/** Runs a piece of work and measures the CPU time of processes meanwhile, in microseconds. */
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

/**
 * Returns the median over rounds of the product's throughput divided by the reference server's throughput in
 * the same round.
 */
export function medianRatio(
  product: readonly Throughput[],
  floor: readonly Throughput[],
): number | undefined {
  return median(product.map(({ rate }, round) => rate / (floor[round]?.rate ?? Number.NaN)));
}

/** Returns the median over rounds of a process's CPU microseconds for each response. */
export function medianCpu(rounds: readonly Throughput[], process: string): number | undefined {
  return median(rounds.map(({ cpu }) => cpu[process]));
}
