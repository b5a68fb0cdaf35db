import { cpuOf } from './process-usage.ts';
import { median } from './rounds.ts';

/** One round of a closed loop. */
export interface Throughput {
  /** Answers a second. */
  rate: number;
  /** CPU microseconds an answer, of every server and of the `load` generator; undefined where it cannot be had. */
  cpu: Record<string, number | undefined>;
}

/** `cpu`: microseconds in all. */
export function throughputOf(answers: number, seconds: number, cpu: Throughput['cpu']): Throughput {
  const each = Object.entries(cpu).map(([name, used]) => [name, used && used / answers]);
  return { rate: answers / seconds, cpu: Object.fromEntries(each) };
}

/** Reads the CPU of processes around a piece of work, in microseconds. */
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

/** The median over rounds of what the product did for each answer of the floor in the same round. */
export function medianRatio(
  product: readonly Throughput[],
  floor: readonly Throughput[],
): number | undefined {
  return median(product.map(({ rate }, round) => rate / (floor[round]?.rate ?? Number.NaN)));
}

/** The median over rounds of a process's CPU microseconds an answer. */
export function medianCpu(rounds: readonly Throughput[], process: string): number | undefined {
  return median(rounds.map(({ cpu }) => cpu[process]));
}
