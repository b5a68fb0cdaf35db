import { GrpcFetchClient } from '../../faults/fetch-client.ts';
import { Trial } from '../../faults/trial.ts';
import { scratchDirectory } from '../../system/scratch-directory.ts';
import { until } from '../../system/until.ts';
import { EngineCluster } from '../engine-cluster.ts';
import type { EngineKind } from '../engine-program.ts';
import { ClusterLoad } from './cluster-load.ts';
import { FAULTS, type Fault } from './faults.ts';
import { FencedWrites } from './fenced-writes.ts';
import { Fleet } from './fleet.ts';
import { readOwners } from './owners.ts';
import { ProbedServers } from './probed-servers.ts';

/**
 * The game of the inserted servers. Probes of palworld need credentials that the prober does not have, so the prober
 * sends no packets and uses little CPU time.
 */
const GAME = 'palworld';
/** After a fault, gsq counts as recovered when each core and each gateway has acknowledged this number of inserts. */
const AGAIN = 20;
/** Number of new servers in each fetch that inserts the first servers of the fault test, before the first fault. */
const AT_A_TIME = 500;
/** Maximum time for the inserts before the first fault, in milliseconds. */
const PREPARED_MS = 300_000;

/** Options of a fault test (`runCampaign`). */
export interface CampaignOptions {
  kind: EngineKind;
  /** How many times the test causes each kind of fault, unless the time limit `limitMs` ends the test earlier. */
  rounds: number;
  /**
   * Time limit for the faults, in milliseconds. Infinity for no limit. The test causes each kind of fault at least
   * once, even if this takes longer.
   */
  limitMs: number;
  /** Number of servers that gsq tracks before the first fault. */
  servers: number;
  /** The test continues until gsq has acknowledged at least this number of inserts. */
  inserts: number;
  seed: number;
  /** Part of the name of a kind of fault. The test causes only the kinds of faults whose name contains this text. */
  only: string;
  canPartition: boolean;
  print(line: string): void;
}

/** Result of a fault test: one line for each error of gsq that the test found, and a summary. */
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
 * Causes faults in random order on a cluster of gsq with Redis or Valkey, while callers insert servers. Afterwards,
 * checks that no acknowledged insert was lost, and that no server was inserted twice.
 */
export async function runCampaign(options: CampaignOptions): Promise<CampaignReport> {
  const cluster = await EngineCluster.start(options.kind, {
    appendOnly: true,
    ownSources: options.canPartition,
  });
  try {
    const trial = new Trial(scratchDirectory(), options.seed, true, GAME);
    const fleet = await Fleet.start(cluster, trial.directory);
    try {
      return await new Campaign(options, cluster, trial, fleet).run();
    } catch (error) {
      throw new Error(`${error}\n${fleet.report}\n${cluster.report}`, { cause: error });
    } finally {
      await fleet.stop('SIGKILL');
    }
  } finally {
    await cluster.stop();
  }
}

class Campaign {
  readonly #options: CampaignOptions;
  readonly #cluster: EngineCluster;
  readonly #trial: Trial;
  readonly #fleet: Fleet;
  readonly #load: ClusterLoad;
  readonly #fenced = new FencedWrites();
  /**
   * The longest interruptions that a fault has caused so far, in milliseconds. `timesText` describes the three kinds.
   */
  readonly #worst = { inserts: 0, survivors: 0, victims: 0 };
  #faults = 0;

  constructor(options: CampaignOptions, cluster: EngineCluster, trial: Trial, fleet: Fleet) {
    this.#options = options;
    this.#cluster = cluster;
    this.#trial = trial;
    this.#fleet = fleet;
    this.#load = new ClusterLoad(trial, fleet);
  }

  async run(): Promise<CampaignReport> {
    const { only, canPartition, rounds, limitMs, inserts } = this.#options;
    await this.#insertServers();
    const began = performance.now();
    const { gateways, probers } = this.#fleet;
    const load = this.#load;
    const possible = [...FAULTS].filter(
      ([name]) => name.includes(only) && (canPartition || !name.includes('cut off')),
    );
    const http = gateways.map(gateway => gateway.http);
    const servers = await ProbedServers.start(probers, http);
    try {
      for (let round = 0; round < rounds; round++)
        for (const [name, fault] of shuffled(possible, this.#trial.random))
          if (round === 0 || performance.now() - began < limitMs) await this.#suffer(name, fault, servers);
      while (load.acknowledged < inserts) await load.acknowledgedByAll(AGAIN);
      // Causes no more faults, and waits until all game servers were probed two more times.
      for (let i = 0; i < 2; i++) await servers.onlineAgain();
      await this.#fenced.read(this.#cluster);
    } finally {
      await load.stop();
      servers.stop();
    }
    await this.#fleet.stop('SIGTERM');
    // Starts a new core, and fetches every server that a caller has ever requested, to find lost inserts.
    await this.#trial.audit({ GSQ_STORE: this.#cluster.url });
    return this.#report(servers);
  }

  /** Inserts the servers that gsq must track before the first fault. */
  async #insertServers(): Promise<void> {
    const { servers } = this.#options;
    const [core] = this.#fleet.cores;
    if (servers === 0 || !core) return;
    const client = new GrpcFetchClient(core.grpc, this.#trial.game);
    const load = this.#trial.loadOver(client, { fresh: AT_A_TIME, goesOn: true });
    try {
      const inserted = () => load.acknowledged;
      await until(`${servers} servers`, inserted, count => count >= servers, PREPARED_MS);
    } finally {
      await load.stop();
    }
  }

  /** Causes a fault, and waits until the storage engine and all processes of gsq work again. */
  async #suffer(name: string, fault: Fault, servers: ProbedServers): Promise<void> {
    const cluster = this.#cluster;
    const fleet = this.#fleet;
    const { random } = this.#trial;
    const { inserts, reads } = this.#load;
    await this.#load.acknowledgedByAll(1 + random(AGAIN));
    await this.#fenced.read(cluster);
    const owners = await readOwners(cluster);
    const [lost, overlaps, began] = [fleet.lostLeases.length, servers.duringFaults, performance.now()];
    const failedBefore = reads.failed;
    servers.isQuiet = false;
    inserts.restart();
    reads.restart(owners);
    await fault({ cluster, fleet, random, strike: victims => reads.strike(victims) });
    await cluster.settled();
    await Promise.all([fleet.settled(), this.#load.acknowledgedByAll(AGAIN), servers.onlineAgain()]);
    servers.isQuiet = true;
    this.#faults++;
    const times = { inserts: inserts.current, survivors: reads.ofSurvivors, victims: reads.ofVictims };
    for (const key of ['inserts', 'survivors', 'victims'] as const)
      this.#worst[key] = Math.max(this.#worst[key], times[key]);
    const failed = reads.failed - failedBefore;
    const ended = fleet.lostLeases.slice(lost);
    const asked = servers.duringFaults - overlaps;
    this.#options.print(
      `  ${name}: ${timesText(times)}${failed > 0 ? `, ${failed} fetches failed` : ''}${ended.length > 0 ? `, ${ended.length} cores lost their lease` : ''}${asked > 0 ? `, ${asked} times two probers asked one server` : ''}; ${seconds(performance.now() - began)} s`,
    );
    for (const cause of ended) this.#options.print(`    ${cause}`);
  }

  #report(servers: ProbedServers): CampaignReport {
    const verdict = this.#trial.verdict();
    const { reads } = this.#load;
    return {
      faults: [
        ...this.#fleet.faults,
        ...servers.faults,
        ...(reads.failed > 0
          ? [`${reads.failed} fetches failed, although no fault hit the cores concerned`]
          : []),
        ...verdict.faults,
      ],
      figures: [
        `${this.#faults} faults on ${this.#options.kind}: ${verdict.figures}`,
        `${this.#fenced.total} writes of replaced owners refused`,
        `${this.#fleet.lostLeases.length} cores lost their lease without standing still`,
        `${servers.duringFaults} times two probers asked a server at the same moment during a fault`,
        `${reads.answered} fetches of servers of other cores answered, and ${reads.failed} failed`,
        `worst: ${timesText(this.#worst)}`,
      ].join('; '),
    };
  }
}

/**
 * Formats the longest interruptions that faults have caused, as text. The times are in milliseconds.
 *
 * - `inserts`: longest time in which gsq acknowledged no insert.
 * - `survivors`: longest time without an answer for the servers of a core that the fault did not affect.
 * - `victims`: longest time without an answer for the servers of a core that the fault affected.
 */
function timesText(times: { inserts: number; survivors: number; victims: number }): string {
  const known = `no answer for ${seconds(times.survivors)} s`;
  const hit = times.victims > 0 ? `, for servers of the core hit for ${seconds(times.victims)} s` : '';
  return `no insert for ${seconds(times.inserts)} s, ${known}${hit}`;
}

const seconds = (ms: number): string => (ms / 1000).toFixed(1);
