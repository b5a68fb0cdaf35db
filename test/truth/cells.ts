import type { Wrong } from './judge.ts';
import { manyHosts, SIZES } from './layout.ts';
import { scenarios } from './scenarios.ts';
import { joined, type SetDigest } from './tally.ts';
import { World } from './world.ts';

/** Percent of packets lost each way. */
export const LOSSES: readonly number[] = [0, 5, 20, 40];
/** No world shares its seed with another. */
const SEEDS_A_LOSS = 1_000;
const SEEDS_A_SCENARIO = 100_000;

/** What one world is about. Its cells are one for each size of its hosts. */
export interface Job {
  scenario: string;
  loss: number;
  /** As `--seed` has it; several worlds of a cell have seeds that follow each other. */
  seed: number;
  /** Servers and hosts of which every record is told, as their addresses begin; empty: none. */
  trace: string;
}

export interface Cell {
  scenario: string;
  loss: number;
  /** Servers on a host. */
  size: number;
  tally: SetDigest;
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

/** The worlds of which a cell's name holds a text, those that take longest first. A world does not depend on which others there are. */
export function jobsFor(pattern: string, isLong: boolean, seed: number, trace: string): Job[] {
  const jobs: Job[] = [];
  for (const [scenario, { plan, worlds }] of Object.entries(scenarios)) {
    for (const loss of LOSSES) {
      const sizes = plan ? [1] : SIZES;
      if (!sizes.some(size => cellName({ scenario, loss, size }).includes(pattern))) continue;
      const count = isLong ? worlds.long : worlds.short;
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
