import type { Wrong } from './judge.ts';
import { manyHosts, SIZES } from './layout.ts';
import { scenarios } from './scenarios.ts';
import { joined, type Tally } from './tally.ts';
import { World } from './world.ts';

/** Percent of packets lost each way. */
export const LOSSES: readonly number[] = [0, 5, 20, 40];

/** What one world is about. Its cells are one for each size of its hosts. */
export interface Job {
  scenario: string;
  loss: number;
  sizes: readonly number[];
  seed: number;
}

export interface Cell {
  scenario: string;
  loss: number;
  /** Servers on a host. */
  size: number;
  tally: Tally;
}

/** What came of a job. */
export interface Outcome {
  job: Job;
  cells: Cell[];
  wrongs: Wrong[];
  /** CPU time it took. */
  cpuSeconds: number;
}

/** As `--cell` and the table name a cell. */
export function cellName({ scenario, loss, size }: Omit<Cell, 'tally'>): string {
  return `${scenario}/${size}/${loss}%`;
}

/** The jobs for the cells whose names hold a text, those that take longest first. */
export function jobsFor(pattern: string, isLong: boolean, seed: number): Job[] {
  const jobs: Job[] = [];
  for (const [scenario, { plan, worlds }] of Object.entries(scenarios)) {
    for (const loss of LOSSES) {
      const all = plan ? [1] : SIZES;
      const sizes = all.filter(size => cellName({ scenario, loss, size }).includes(pattern));
      if (sizes.length === 0) continue;
      const count = isLong ? worlds.long : worlds.short;
      for (let i = 0; i < count; i++) jobs.push({ scenario, loss, sizes, seed: seed + 1000 * jobs.length });
    }
  }
  return jobs.sort((a, b) => b.loss - a.loss);
}

export async function runJob(job: Job): Promise<Outcome> {
  const before = process.cpuUsage();
  const scenario = scenarios[job.scenario];
  if (!scenario) throw new Error(`there is no scenario ${job.scenario}`);
  const plan = scenario.plan ?? (random => manyHosts(job.sizes, random));
  const world = new World(job.loss / 100, job.seed, plan);
  scenario.begin(world);
  await world.run(scenario.runMs);
  const cells = [...world.judge.tallies].map(([size, tally]) => ({
    scenario: job.scenario,
    loss: job.loss,
    size,
    tally,
  }));
  const { user, system } = process.cpuUsage(before);
  return { job, cells, wrongs: world.judge.wrongs, cpuSeconds: (user + system) / 1e6 };
}

/** Cells of the same name as one. */
export function joinCells(cells: readonly Cell[]): Cell[] {
  const byName = new Map<string, Cell>();
  for (const cell of cells) {
    const name = cellName(cell);
    const before = byName.get(name);
    byName.set(name, before ? { ...cell, tally: joined(before.tally, cell.tally) } : cell);
  }
  return [...byName.values()];
}
