import { Trial } from '../../faults/trial.ts';
import { scratchDirectory } from '../../system/scratch-directory.ts';
import { until } from '../../system/until.ts';
import { EngineCluster } from '../engine-cluster.ts';
import type { EngineKind } from '../engine-program.ts';
import { CorePair } from './core-pair.ts';
import { FAULTS, type Fault } from './faults.ts';
import { FencedWrites } from './fenced-writes.ts';
import { OwnerLoad } from './owner-load.ts';

/** Number of acknowledged inserts that show, after a fault, that gsq accepts inserts again. */
const AGAIN = 100;
const AGAIN_MS = 90_000;

/** Options of `runCampaign`. */
export interface CampaignOptions {
  kind: EngineKind;
  /** How often the campaign causes each fault of nodes or cores. */
  rounds: number;
  /** Minimum number of acknowledged inserts in the whole campaign. */
  inserts: number;
  seed: number;
  canPartition: boolean;
  print(line: string): void;
}

/** Result of a fault campaign: one line for each error of gsq that was found, and a summary. */
export interface CampaignReport {
  faults: string[];
  figures: string;
}

/** Returns the elements of a list in random order. */
function shuffled<T>(list: readonly T[], random: (below: number) => number): T[] {
  const rest = [...list];
  return list.flatMap(() => rest.splice(random(rest.length), 1));
}

/**
 * Runs two cores on a cluster, and causes faults of the nodes and of the cores in random order while callers insert
 * servers. At the end, a new core is asked for every pair of game and address. The history of all answers shows whether
 * an acknowledged insert was lost or a pair was inserted twice.
 */
export async function runCampaign(options: CampaignOptions): Promise<CampaignReport> {
  const cluster = await EngineCluster.start(options.kind, {
    appendOnly: true,
    ownSources: options.canPartition,
  });
  try {
    return await runOn(cluster, options);
  } finally {
    await cluster.stop();
  }
}

async function runOn(cluster: EngineCluster, options: CampaignOptions): Promise<CampaignReport> {
  const { rounds, inserts, seed, canPartition, print } = options;
  const env = { GSQ_STORE: cluster.url };
  const trial = new Trial(scratchDirectory(), seed);
  const load = new OwnerLoad(trial);
  const cores = await CorePair.start(trial.directory, env, core => load.follow(core));
  const fenced = new FencedWrites();
  const { random } = trial;
  const scene = { cluster, cores, random, canPartition };
  const possible = [...FAULTS].filter(([name]) => canPartition || !name.includes('cut off'));
  const acknowledged = async (count: number): Promise<void> => {
    const target = load.acknowledged + count;
    const look = () => Math.max(target - load.acknowledged, 0);
    await until('acknowledged inserts', look, missing => missing === 0, AGAIN_MS).catch(error => {
      throw new Error(`${error}\n${cores.report}\n${cluster.report}`);
    });
  };
  const suffer = async (name: string, fault: Fault): Promise<void> => {
    await acknowledged(1 + random(2 * AGAIN));
    await fenced.read(cluster);
    load.inserts.restart();
    load.reads.restart();
    const { owner } = cores;
    await fault(scene);
    await acknowledged(AGAIN);
    await cluster.settled();
    await cores.settled();
    print(
      `  ${name}: no insert for ${seconds(load.inserts)} s, no answer for ${seconds(load.reads)} s${cores.owner === owner ? '' : ', a new owner'}`,
    );
  };
  try {
    for (let round = 0; round < rounds; round++)
      for (const [name, fault] of shuffled(possible, random)) await suffer(name, fault);
    while (load.acknowledged < inserts) await acknowledged(AGAIN);
    await fenced.read(cluster);
  } finally {
    await cores.kill();
    await load.stop();
  }
  await trial.audit(env);
  const verdict = trial.verdict();
  return {
    faults: [...cores.faults, ...verdict.faults],
    figures: `${rounds * possible.length} faults on ${options.kind}: ${verdict.figures}; ${fenced.total} writes of replaced owners refused, ${cores.lostLeases} owners lost their lease`,
  };
}

const seconds = ({ current }: { current: number }): string => (current / 1000).toFixed(1);
