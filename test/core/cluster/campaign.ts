import { SERVER_BUCKETS } from '../../../core/cluster/buckets.ts';
import type { SimulatedCore } from './simulated-core.ts';
import type { Simulation } from './simulation.ts';

/** Longest time between two faults of `runFaults`, in milliseconds. */
const BETWEEN_MS = 6_000;
/** Longest time for which a core stands still, in milliseconds. It is longer than a lease. */
const FROZEN_MS = 12_000;
/** A master that is cut off accepts writes for so long, which is `cluster-node-timeout`, in milliseconds. */
const CUT_MS = 3_000;
const FEWEST = 2;
const MOST = 10;

function someCore({ cores, random }: Simulation): SimulatedCore | undefined {
  return cores[random(cores.length)];
}

/** Causes random faults one after another. Checks after each step that no bucket has two owners. */
export async function runFaults(cluster: Simulation, faults: number): Promise<void> {
  let place = 100;
  const frozen = new Map<SimulatedCore, number>();
  for (let i = 0; i < faults; i++) {
    const kind = cluster.random(10);
    const core = someCore(cluster);
    if (cluster.cores.length <= FEWEST || (kind < 3 && cluster.cores.length < MOST)) cluster.start(place++);
    else if (core && kind < 5) cluster.kill(core);
    else if (core && kind < 6) cluster.stop(core);
    else if (core && kind < 8) {
      core.freeze();
      frozen.set(core, cluster.clock.now + cluster.random(FROZEN_MS));
    } else await failOver(cluster);
    await runChecked(cluster, cluster.random(BETWEEN_MS));
    for (const [core, until] of frozen) {
      if (until > cluster.clock.now) continue;
      core.thaw();
      frozen.delete(core);
    }
  }
  for (const core of frozen.keys()) core.thaw();
  await cluster.settle();
}

/**
 * Lets the table lose the writes of up to CUT_MS milliseconds, which no replica has confirmed. Afterwards, one core does
 * not reach the new master until its lease has ended.
 */
async function failOver(cluster: Simulation): Promise<void> {
  cluster.table.cutReplicas();
  await runChecked(cluster, cluster.random(CUT_MS));
  cluster.table.failOver();
  const core = someCore(cluster);
  if (core) core.isCutOff = true;
  await runChecked(cluster, FROZEN_MS);
  if (core) core.isCutOff = false;
}

async function runChecked(cluster: Simulation, ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 200) {
    await cluster.run(Math.min(left, 200));
    cluster.checkOwners();
  }
}

type Change = 'join' | 'stop' | 'kill';

/** What `runCampaign` has measured. */
export interface CampaignReport {
  takeovers: number;
  /**
   * For each kind of change: the number of buckets that moved, divided by the number that must move (the equal share of
   * the cores that joined or left).
   */
  moves: Record<Change, number>;
  /** The largest number of buckets of one core after a change, above the mean, as a part of the mean. */
  imbalance: number;
  /** Longest time in which a bucket had no owner, for each kind of change, in milliseconds. */
  gaps: Record<Change, number>;
  longestGapMs: number;
}

/**
 * Starts, stops and kills up to a tenth of the cores at once, and waits each time until all buckets are shared, until
 * buckets have changed their owner `takeovers` times.
 */
export async function runCampaign(
  cluster: Simulation,
  takeovers: number,
  onProgress: (done: number) => void = () => {},
): Promise<CampaignReport> {
  await cluster.settle();
  const size = cluster.cores.length;
  const moved = { join: 0, stop: 0, kill: 0 };
  const needed = { join: 0, stop: 0, kill: 0 };
  const gaps = { join: 0, stop: 0, kill: 0 };
  let imbalance = 0;
  let place = size;
  const first = cluster.takeovers;
  while (cluster.takeovers - first < takeovers) {
    const count = 1 + cluster.random(Math.max(1, Math.floor(size / 10)));
    const isGrowing = cluster.cores.length <= size - count;
    const change: Change = isGrowing ? 'join' : cluster.random(2) === 0 ? 'stop' : 'kill';
    const cores = isGrowing ? cluster.cores.length + count : cluster.cores.length;
    cluster.longestGapMs = 0;
    for (let i = 0; i < count; i++) {
      const core = someCore(cluster);
      if (change === 'join') cluster.start(place++);
      else if (core && change === 'stop') cluster.stop(core);
      else if (core) cluster.kill(core);
    }
    moved[change] += await cluster.settle();
    needed[change] += (SERVER_BUCKETS * count) / cores;
    gaps[change] = Math.max(gaps[change], cluster.longestGapMs);
    const mean = SERVER_BUCKETS / cluster.cores.length;
    imbalance = Math.max(imbalance, Math.max(...cluster.loads) / mean - 1);
    onProgress(cluster.takeovers - first);
  }
  const ratio = (change: Change): number => (needed[change] === 0 ? 0 : moved[change] / needed[change]);
  return {
    takeovers: cluster.takeovers - first,
    moves: { join: ratio('join'), stop: ratio('stop'), kill: ratio('kill') },
    imbalance,
    gaps,
    longestGapMs: Math.max(...Object.values(gaps)),
  };
}
