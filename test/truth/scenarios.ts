import { sixServers } from './layout.ts';
import type { Random } from './random.ts';
import {
  AnswerLimit,
  type SimulatedHost,
  type SimulatedNetwork,
  type SimulatedServer,
} from './simulated-host.ts';
import { INTERVAL_MS, type World } from './world.ts';

const SECOND = 1_000;
const MINUTE = 60_000;

/** Time before the first fault, in milliseconds. In this time, the core measures the packet loss of every server. */
const WARM_MS = 15 * INTERVAL_MS;
/** Length of the period after the warm-up in which faults begin, in milliseconds. */
const FAULTS_MS = 25 * INTERVAL_MS;
/** Time at the end of a simulation in which the core can still report ended servers offline, in milliseconds. */
const TAIL_MS = 11 * INTERVAL_MS;
const RUN_MS = WARM_MS + FAULTS_MS + TAIL_MS;

/** Time between two faults on the same host, in milliseconds. */
const ROUND_MS = 10 * MINUTE;
const ROUNDS = 2;
const REJECTED = 0.3;
const FROZEN_MS = 45 * SECOND;
/** Mean time between two bursts of packet loss, or between two freezes of a server, in milliseconds. */
const MEAN_GAP_MS = 15 * MINUTE;
/**
 * Minimum time between two freezes of a server, in milliseconds. Without this time, two freezes could follow each other
 * directly and last longer than 45 s together.
 */
const PLAYED_MS = 2 * MINUTE;
const BURST_MS = { least: 5 * SECOND, most: 30 * SECOND };
const OUTAGE_MS = 60 * SECOND;
const OUTAGE_EVERY_MS = 8 * MINUTE;

/** A kind of fault, with the duration of its simulation. */
export interface Scenario {
  /** Duration of the simulation in virtual time, in milliseconds. */
  runMs: number;
  /**
   * Number of simulations for each loss rate. With --long there are more, because some claims require a million probes.
   */
  simulations: { short: number; long: number };
  /** Builds the networks of the scenario. Absent if the scenario uses hosts of all sizes. */
  plan?: (random: Random) => SimulatedNetwork[];
  /** Schedules all faults of the scenario. */
  begin(world: World): void;
}

const MANY_SIMULATIONS = { short: 1, long: 4 };

/** Schedules a fault on each target host at a random time after the warm-up. */
function onTargets(world: World, fault: (host: SimulatedHost, at: number, index: number) => void): void {
  world.targets.forEach((host, index) => {
    fault(host, WARM_MS + world.random.unit() * (FAULTS_MS - ROUNDS * ROUND_MS), index);
  });
}

function ends(count: (servers: number) => number): Scenario {
  const begin = (world: World): void =>
    onTargets(world, (host, at) => {
      const together = count(host.servers.length);
      const mode = together === host.servers.length && !host.refuses ? 'gone' : 'ended';
      const rounds = host.servers.length >= 10 && together === 1 ? ROUNDS + 1 : 1;
      world.random.some(host.servers, together * rounds).forEach((server, i) => {
        const round = Math.floor(i / together);
        const when = at + round * ROUND_MS;
        world.clock.at(when, () => server.end(mode, when));
      });
    });
  return { runMs: RUN_MS, simulations: MANY_SIMULATIONS, begin };
}

/**
 * Scenario with restarts. On every second host, all servers restart together. On the other hosts, single servers
 * restart one after another.
 */
function restarts(seconds: number): Scenario {
  const downMs = seconds * SECOND;
  const restart = ({ clock }: World, servers: readonly SimulatedServer[], at: number): void => {
    const returnsAt = at + downMs;
    clock.at(at, () => {
      for (const server of servers) server.end('ended', at);
    });
    clock.at(returnsAt, () => {
      for (const server of servers) server.start(returnsAt);
    });
  };
  const begin = (world: World): void =>
    onTargets(world, (host, at, index) => {
      if (index % 2 === 0) restart(world, host.servers, at);
      else {
        const ones = world.random.some(host.servers, ROUNDS + 1);
        for (const [round, server] of ones.entries()) restart(world, [server], at + round * ROUND_MS);
      }
    });
  return { runMs: RUN_MS, simulations: MANY_SIMULATIONS, begin };
}

/**
 * Calls `call` at random times until the simulation ends. The mean time between two calls is MEAN_GAP_MS milliseconds,
 * and the minimum time is `leastMs` milliseconds.
 */
function atRandom({ clock, random }: World, leastMs: number, call: (at: number) => void): void {
  const again = (at: number): void => {
    const next = at + leastMs + random.gap(MEAN_GAP_MS - leastMs);
    clock.at(next, () => {
      call(next);
      again(next);
    });
  };
  again(0);
}

/**
 * Schedules freezes. A frozen server drops all packets. On every second host, all servers freeze together. On the other
 * hosts, each server freezes alone.
 */
function freezes(world: World): void {
  const freeze = (servers: readonly SimulatedServer[], at: number): void => {
    for (const server of servers) server.mode = 'frozen';
    world.clock.at(at + FROZEN_MS, () => {
      for (const server of servers) server.mode = 'up';
    });
  };
  world.targets.forEach(({ servers }, index) => {
    if (index % 2 === 0) atRandom(world, FROZEN_MS + PLAYED_MS, at => freeze(servers, at));
    else for (const server of servers) atRandom(world, FROZEN_MS + PLAYED_MS, at => freeze([server], at));
  });
}

/**
 * Schedules bursts of packet loss. A burst drops all packets of a host for some seconds. In every second network, a
 * burst affects all hosts of the network together.
 */
function bursts(world: World): void {
  const burst = (hosts: readonly SimulatedHost[], at: number): void => {
    const until = at + world.random.between(BURST_MS.least, BURST_MS.most);
    for (const host of hosts) host.deafUntil = Math.max(host.deafUntil, until);
  };
  world.networks.forEach(({ hosts, isTarget }, index) => {
    if (!isTarget) return;
    if (index % 2 === 0) atRandom(world, 0, at => burst(hosts, at));
    else for (const host of hosts) atRandom(world, 0, at => burst([host], at));
  });
}

function outages({ clock, random, wire }: World, every: number): void {
  for (let at = WARM_MS + random.unit() * MINUTE; at < RUN_MS; at += every) {
    clock.at(at, () => {
      wire.isOut = true;
    });
    clock.at(at + OUTAGE_MS, () => {
      wire.isOut = false;
    });
  }
}

function goneAt({ clock }: World, servers: readonly SimulatedServer[], at: number): void {
  clock.at(at, () => {
    for (const server of servers) server.end('gone', at);
  });
}

export const scenarios: Readonly<Record<string, Scenario>> = {
  'one-ends': ends(() => 1),
  'fifth-ends': ends(servers => Math.max(1, Math.round(servers / 5))),
  'all-end': ends(servers => servers),
  'restart-30': restarts(30),
  'restart-90': restarts(90),
  'restart-300': restarts(300),
  limited: {
    runMs: RUN_MS,
    simulations: MANY_SIMULATIONS,
    begin({ targets, random }) {
      for (const host of targets) host.limit = new AnswerLimit(random);
    },
  },
  boxed: {
    runMs: RUN_MS,
    simulations: MANY_SIMULATIONS,
    begin(world) {
      onTargets(world, ({ servers }, at) => {
        const [server] = world.random.some(servers, 1);
        world.clock.at(at, () => server?.end('boxed', at));
      });
    },
  },
  filtered: {
    runMs: RUN_MS,
    simulations: MANY_SIMULATIONS,
    begin(world) {
      for (const { servers, isTarget } of world.networks) {
        if (isTarget) goneAt(world, servers, WARM_MS + world.random.unit() * FAULTS_MS);
      }
    },
  },
  icmp: {
    runMs: RUN_MS,
    simulations: MANY_SIMULATIONS,
    begin({ targets }) {
      for (const host of targets) host.rejects = REJECTED;
    },
  },
  outage: { runMs: RUN_MS, simulations: MANY_SIMULATIONS, begin: world => outages(world, OUTAGE_EVERY_MS) },
  bursts: { runMs: RUN_MS, simulations: MANY_SIMULATIONS, begin: bursts },
  frozen: { runMs: RUN_MS, simulations: MANY_SIMULATIONS, begin: freezes },
  'half-dead': {
    runMs: WARM_MS + 5 * INTERVAL_MS + TAIL_MS,
    simulations: MANY_SIMULATIONS,
    begin(world) {
      const { networks, random } = world;
      const at = WARM_MS + random.unit() * 5 * INTERVAL_MS;
      for (const { servers } of random.some(networks, networks.length / 2)) goneAt(world, servers, at);
    },
  },
  six: {
    runMs: RUN_MS,
    simulations: { short: 12, long: 48 },
    plan: sixServers,
    begin(world) {
      outages(world, 2 * OUTAGE_EVERY_MS);
      const [server] = world.random.some(world.servers, 1);
      if (server) goneAt(world, [server], WARM_MS + 2 * OUTAGE_EVERY_MS * world.random.unit());
    },
  },
};
