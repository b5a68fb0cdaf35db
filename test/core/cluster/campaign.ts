import { SERVER_BUCKETS } from '../../../core/cluster/buckets.ts';
import type { SimulatedCore } from './simulated-core.ts';
import type { Simulation } from './simulation.ts';

/** Longest time between two faults of `runFaults`, in milliseconds. */
const BETWEEN_MS = 6_000;
/** Longest time for which `runFaults` freezes a core, in milliseconds: longer than the cluster lease of a core. */
const FROZEN_MS = 12_000;
/**
 * Time for which a Redis master that is cut off from its replicas still accepts writes, in milliseconds (one and a half
 * times `cluster-node-timeout`).
 */
const CUT_MS = 4_500;
/** Shortest time from the failure of a Redis master until its replica becomes the new master, in milliseconds. */
const PROMOTED_MS = 3_500;
/** Maximum time by which a simulated fault changes the clock of the owner table, in milliseconds. */
const STEP_MS = 3_600_000;
const FEWEST = 2;
const MOST = 10;

function someCore({ cores, random }: Simulation): SimulatedCore | undefined {
  return cores[random(cores.length)];
}

/**
 * Causes random faults in a simulated cluster, one after another. Checks at least every 200 ms of virtual time that no
 * bucket (group of servers) is owned by two cores.
 */
export async function runFaults(cluster: Simulation, faults: number): Promise<void> {
  let place = 100;
  const frozen = new Map<SimulatedCore, number>();
  for (let i = 0; i < faults; i++) {
    const kind = cluster.random(11);
    const core = someCore(cluster);
    if (cluster.cores.length <= FEWEST || (kind < 3 && cluster.cores.length < MOST)) cluster.start(place++);
    else if (core && kind < 4) cluster.kill(core);
    else if (core && kind < 5) cluster.restart(core);
    else if (core && kind < 6) cluster.stop(core);
    else if (core && kind < 8) {
      core.freeze();
      frozen.set(core, cluster.clock.now + cluster.random(FROZEN_MS));
    } else if (kind < 9) cluster.table.stepClock(-cluster.random(STEP_MS));
    else await failOver(cluster);
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
 * Simulates a failover of Redis, which stores the owner table. The last writes (up to CUT_MS) are lost, and the clock
 * of the new master differs. All cores lose their connection to the table. One core is connected again only after its
 * lease (membership) has ended.
 */
async function failOver(cluster: Simulation): Promise<void> {
  cluster.table.cutReplicas();
  const cut = cluster.random(CUT_MS);
  await runChecked(cluster, cut);
  const without = Math.max(PROMOTED_MS - cut, cluster.random(FROZEN_MS));
  await cluster.withoutTable(() => runChecked(cluster, without));
  cluster.table.failOver(cluster.random(2 * STEP_MS) - STEP_MS);
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

/** The measurements of `runCampaign`: how groups of servers moved while cores joined and left. */
export interface CampaignReport {
  takeovers: number;
  /**
   * For each kind of change (join, stop, kill of cores): number of buckets of servers that moved, divided by
   * the number that had to move. For example, if two of ten cores leave, 20 % of all buckets have to move.
   */
  moves: Record<Change, number>;
  /** Largest imbalance after a change of the cluster: (max - mean) / mean of the number of buckets per core. */
  imbalance: number;
  /** For each kind of change (join, stop, kill of cores): longest time in which a group of servers had no owner, ms. */
  gaps: Record<Change, number>;
  longestGapMs: number;
}

/**
 * Repeatedly starts, stops or kills up to a tenth of the cores, and waits until all buckets of servers have
 * owners. Ends when buckets have got a new owner `takeovers` times in total.
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
