import { sixServers } from './layout.ts';
import type { Random } from './random.ts';
import {
  addLossBursts,
  addOutages,
  endServers,
  FAULTS_MS,
  type Faults,
  makeUnreachable,
  makeUnresponsive,
  OUTAGE_EVERY_MS,
  onTargets,
  RUN_MS,
  restartServers,
  TAIL_MS,
  WARM_MS,
} from './scheduled-faults.ts';
import { AnswerLimit, type SimulatedNetwork } from './simulated-host.ts';
import { INTERVAL_MS } from './world.ts';

/** Share of the packets that simulated routers reject with ICMP messages in the scenario `icmp`. */
const REJECTED = 0.3;

/**
 * A scenario of the simulation. It determines which faults occur, how long a simulation lasts, and how many simulations
 * run.
 */
export interface Scenario {
  /** Duration of the simulation in virtual time, in milliseconds. */
  runMs: number;
  /**
   * Number of simulations of the scenario for each packet loss rate. With the option --long, more simulations run,
   * because some claims require a million probes.
   */
  simulations: { short: number; long: number };
  /**
   * Optional function that builds the simulated networks of the scenario. By default, the networks have hosts with 1,
   * 2, 10 and 50 game servers.
   */
  plan?: (random: Random) => SimulatedNetwork[];
  /** Schedules all faults of the scenario, for example restarts of servers. */
  begin: Faults;
}

const MANY_SIMULATIONS = { short: 1, long: 4 };

/**
 * Returns a scenario with the usual duration, and with four kinds of hosts: with 1, 2, 10 and 50 game servers per host.
 */
function usual(begin: Faults): Scenario {
  return { runMs: RUN_MS, simulations: MANY_SIMULATIONS, begin };
}

/**
 * All scenarios of the simulation, keyed by name. The random seed of a simulation depends on the position of its
 * scenario in this object. A scenario that moves to a new position therefore gets different random numbers.
 */
export const scenarios: Readonly<Record<string, Scenario>> = {
  'one-ends': usual(endServers(() => 1)),
  'fifth-ends': usual(endServers(servers => Math.max(1, Math.round(servers / 5)))),
  'all-end': usual(endServers(servers => servers)),
  'restart-30': usual(restartServers(30)),
  'restart-90': usual(restartServers(90)),
  'restart-300': usual(restartServers(300)),
  limited: usual(({ targets, random }) => {
    for (const host of targets) host.limit = new AnswerLimit(random);
  }),
  boxed: usual(world =>
    onTargets(world, ({ servers }, at) => {
      const [server] = world.random.some(servers, 1);
      world.clock.at(at, () => server?.end('boxed', at));
    }),
  ),
  filtered: usual(world => {
    for (const { servers, isTarget } of world.networks) {
      if (isTarget) makeUnreachable(world, servers, WARM_MS + world.random.unit() * FAULTS_MS);
    }
  }),
  icmp: usual(({ targets }) => {
    for (const host of targets) host.rejects = REJECTED;
  }),
  outage: usual(world => addOutages(world, OUTAGE_EVERY_MS)),
  bursts: usual(addLossBursts),
  unresponsive: usual(makeUnresponsive),
  'half-dead': {
    runMs: WARM_MS + 5 * INTERVAL_MS + TAIL_MS,
    simulations: MANY_SIMULATIONS,
    begin(world) {
      const { networks, random } = world;
      const at = WARM_MS + random.unit() * 5 * INTERVAL_MS;
      for (const { servers } of random.some(networks, networks.length / 2))
        makeUnreachable(world, servers, at);
    },
  },
  six: {
    runMs: RUN_MS,
    simulations: { short: 12, long: 48 },
    plan: sixServers,
    begin(world) {
      addOutages(world, 2 * OUTAGE_EVERY_MS);
      const [server] = world.random.some(world.servers, 1);
      if (server) makeUnreachable(world, [server], WARM_MS + 2 * OUTAGE_EVERY_MS * world.random.unit());
    },
  },
};
