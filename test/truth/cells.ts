import { addCounters, type CellCounters } from './counters.ts';
import type { FalseOffline } from './judge.ts';
import { manyHosts, SIZES } from './layout.ts';
import { scenarios } from './scenarios.ts';
import { World } from './world.ts';

/** Simulated packet loss rates: the packet loss in each direction, in percent. */
export const LOSSES: readonly number[] = [0, 5, 20, 40];
/**
 * Number that is added to the random seed of a simulation for each percent of packet loss. Simulations with different
 * packet loss thus have different seeds.
 */
const SEEDS_A_LOSS = 1_000;
const SEEDS_A_SCENARIO = 100_000;

/** One simulation to run. Its results contain one `Cell` for each number of game servers per host. */
export interface Job {
  scenario: string;
  loss: number;
  /**
   * One part of the random seed: the option `--seed` plus the index of the simulation. The other parts are the scenario
   * and the packet loss.
   */
  seed: number;
  /**
   * Prefix of server addresses. The simulation prints each recorded probe of a server whose address begins with this
   * prefix. If the prefix is empty, the simulation prints no probes.
   */
  trace: string;
}

export interface Cell {
  scenario: string;
  loss: number;
  /** Number of game servers on each simulated host. */
  size: number;
  counters: CellCounters;
}

/** Results of one simulation. `cells` contains the results separately for each number of game servers per host. */
export interface Outcome {
  job: Job;
  cells: Cell[];
  falseOfflines: FalseOffline[];
  /** CPU time that this simulation took, in seconds. */
  cpuSeconds: number;
}

/**
 * Returns the name of a simulation result: scenario, servers per host and packet loss, for example `one-ends/50/5%`.
 */
export function cellName({ scenario, loss, size }: Omit<Cell, 'counters'>): string {
  return `${scenario}/${size}/${loss}%`;
}

/**
 * Returns the simulations to run: those that give a result whose name contains `pattern`. The simulations with the
 * highest packet loss come first, because they take longest.
 */
export function jobsFor(pattern: string, isLong: boolean, seed: number, trace: string): Job[] {
  const jobs: Job[] = [];
  for (const [scenario, { plan, simulations }] of Object.entries(scenarios)) {
    for (const loss of LOSSES) {
      const sizes = plan ? [1] : SIZES;
      if (!sizes.some(size => cellName({ scenario, loss, size }).includes(pattern))) continue;
      const count = isLong ? simulations.long : simulations.short;
      for (let i = 0; i < count; i++) jobs.push({ scenario, loss, seed: seed + i, trace });
    }
  }
  return jobs.sort((a, b) => b.loss - a.loss);
}

export async function runJob(job: Job): Promise<Outcome> {
  const before = process.cpuUsage();
  const scenario = scenarios[job.scenario];
  if (!scenario) throw new Error(`there is no scenario ${job.scenario}`);
  const seed =
    job.seed + SEEDS_A_LOSS * job.loss + SEEDS_A_SCENARIO * Object.keys(scenarios).indexOf(job.scenario);
  const world = new World(job.loss / 100, seed, scenario.plan ?? manyHosts, job.trace);
  scenario.begin(world);
  await world.run(scenario.runMs);
  const cells = [...world.judge.countersBySize].map(([size, counters]) => ({
    scenario: job.scenario,
    loss: job.loss,
    size,
    counters,
  }));
  const { user, system } = process.cpuUsage(before);
  return { job, cells, falseOfflines: world.judge.falseOfflines, cpuSeconds: (user + system) / 1e6 };
}

/**
 * Adds up the results of several simulations. Returns one `Cell` with the sums for each combination of scenario, packet
 * loss and number of servers per host.
 */
export function joinCells(cells: readonly Cell[]): Cell[] {
  const byName = new Map<string, Cell>();
  for (const cell of cells) {
    const name = cellName(cell);
    const before = byName.get(name);
    byName.set(name, before ? { ...cell, counters: addCounters(before.counters, cell.counters) } : cell);
  }
  return [...byName.values()];
}
