import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { SERVER_BUCKETS } from '../../core/cluster/buckets.ts';
import { LevelDbStore } from '../../core/store/leveldb/leveldb-store.ts';
import type { Operation } from '../../core/store/storage-engine.ts';
import { median } from '../bench/rounds.ts';
import { settings } from '../bench/service.ts';
import { CoreGroup } from './core-group.ts';
import type { EngineCluster } from './engine-cluster.ts';
import { openMember } from './opened-member.ts';

/** Duration of one measurement of idle cores (`idleCostOf`), in milliseconds. */
const IDLE_MS = 1_500;
const COPIED_AT_ONCE = 10_000;

/** Options of `ComparedGroups.start`. */
export interface ComparedGroupsOptions {
  /** Data directory with tracked servers. Each of the compared groups of cores starts with these servers. */
  directory: string;
  /** Starts the storage engine of one group of cores. */
  startEngine: () => Promise<EngineCluster>;
  /** GSQ_* settings of all cores, in addition to those of test/bench/service.ts. */
  env?: Readonly<Record<string, string>>;
}

/**
 * Four groups of cores whose costs are compared. `embedded`: one core with the embedded store. `one`, `two` and
 * `three`: one, two and three cores. Each of these three groups has its own storage engine, which its cores share.
 */
export class ComparedGroups {
  readonly embedded: CoreGroup;
  readonly one: CoreGroup;
  readonly two: CoreGroup;
  readonly three: CoreGroup;
  readonly #engines: readonly EngineCluster[];

  private constructor([embedded, one, two, three]: readonly CoreGroup[], engines: readonly EngineCluster[]) {
    if (!embedded || !one || !two || !three) throw new Error('a group is missing');
    this.embedded = embedded;
    this.one = one;
    this.two = two;
    this.three = three;
    this.#engines = engines;
  }

  /** Starts all groups of cores. Resolves when each core has loaded its servers. */
  static async start({ directory, startEngine, env }: ComparedGroupsOptions): Promise<ComparedGroups> {
    const engines: EngineCluster[] = [];
    const groups: CoreGroup[] = [];
    const more = { ...settings, ...env };
    try {
      for (const cores of [1, 2, 3]) {
        const engine = await startEngine();
        engines.push(engine);
        await copyServers(directory, engine);
        groups.push(await CoreGroup.start({ engine, cores, env: more }));
      }
      groups.unshift(await CoreGroup.start({ engine: undefined, cores: 1, env: more, directory }));
      return new ComparedGroups(groups, engines);
    } catch (error) {
      await stopAll(groups, engines);
      throw error;
    }
  }

  /** Kills all cores and all storage engines of the four compared groups of cores. */
  stop(): Promise<void> {
    return stopAll([this.embedded, this.one, this.two, this.three], this.#engines);
  }
}

async function stopAll(groups: readonly CoreGroup[], engines: readonly EngineCluster[]): Promise<void> {
  for (const group of groups) await group.stop();
  for (const engine of engines) await engine.stop();
}

/** Copies all servers of a data directory to a storage engine. */
async function copyServers(directory: string, engine: EngineCluster): Promise<void> {
  const level = await LevelDbStore.open(join(directory, 'leveldb'), error => {
    throw error;
  });
  const operations: Operation[] = [];
  for await (const [key, value] of level.entries('s/')) operations.push({ type: 'put', key, value });
  await level.close();
  const member = await openMember(engine.url, '127.0.0.1:1');
  while (member.taken.length < SERVER_BUCKETS) await pause(20);
  for (let from = 0; from < operations.length; from += COPIED_AT_ONCE)
    await member.store.commit(operations.slice(from, from + COPIED_AT_ONCE));
  await member.close();
}

/**
 * Returns the CPU time of a process since its start, in microseconds: the sum of its threads. It is more exact than
 * /proc/<pid>/stat, which counts ticks of 10 ms.
 */
function cpuOf(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  const times = threads.map(
    thread => readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'latin1').split(' ')[0],
  );
  return times.reduce((sum, nanoseconds) => sum + Number(nanoseconds) / 1000, 0);
}

/**
 * Starts to measure the CPU time of each core. Returns a function that returns the CPU time of each core since the
 * start, in microseconds.
 */
export function startCpuClocks({ cores }: CoreGroup): () => number[] {
  const before = cores.map(({ child }) => cpuOf(child.pid));
  return () => cores.map(({ child }, i) => cpuOf(child.pid) - (before[i] ?? 0));
}

/** Measures an idle group of cores. Resolves to the CPU time of each core in microseconds per second. */
export async function idleCostOf(group: CoreGroup): Promise<number[]> {
  const cpu = startCpuClocks(group);
  const began = performance.now();
  await pause(IDLE_MS);
  const seconds = (performance.now() - began) / 1000;
  return cpu().map(each => each / seconds);
}

/** Formats the results of all rounds of a measurement as text: their median and their range. */
export function medianAndRange(results: readonly number[], digits: number): string {
  const values = [...results].sort((a, b) => a - b);
  const [least, most] = [values[0], values.at(-1)];
  return `${median(values)?.toFixed(digits)} (${least?.toFixed(digits)}–${most?.toFixed(digits)})`;
}
