import type { SimulatedHost, SimulatedServer } from './simulated-host.ts';
import { INTERVAL_MS, type World } from './world.ts';

const SECOND = 1_000;
const MINUTE = 60_000;

/**
 * Time from the start of a simulation until the first server can be stopped, in milliseconds. In this time, the core
 * measures the packet loss of every server. Bursts of packet loss can occur earlier.
 */
export const WARM_MS = 15 * INTERVAL_MS;
/** Length of the period in which a simulation stops servers, in milliseconds. It begins after the warm-up. */
export const FAULTS_MS = 25 * INTERVAL_MS;
/**
 * Minimum time from the last stop of a server to the end of a simulation, in milliseconds. The core needs this time to
 * report stopped servers offline.
 */
export const TAIL_MS = 11 * INTERVAL_MS;
/** Duration of a simulation, in milliseconds. */
export const RUN_MS = WARM_MS + FAULTS_MS + TAIL_MS;

/** Time between two faults on the same simulated host, in milliseconds. */
const ROUND_MS = 10 * MINUTE;
const ROUNDS = 2;
/** Time for which an unresponsive simulated server sends no replies, in milliseconds. */
const UNRESPONSIVE_MS = 45 * SECOND;
/**
 * Mean time from the start of a random fault to the start of the next one of the same kind, in milliseconds. Random
 * faults: bursts of packet loss, and unresponsive servers.
 */
const MEAN_GAP_MS = 15 * MINUTE;
/**
 * Minimum time between two unresponsive periods of a server, in milliseconds. Without this minimum, two periods could
 * overlap and become one longer period.
 */
const RESPONSIVE_MS = 2 * MINUTE;
const BURST_MS = { least: 5 * SECOND, most: 30 * SECOND };
const OUTAGE_MS = 60 * SECOND;
/** Time from the start of one outage of the prober's network to the start of the next outage, in milliseconds. */
export const OUTAGE_EVERY_MS = 8 * MINUTE;

/** A function that schedules faults in a simulation, for example stopped game servers. */
export type Faults = (world: World) => void;

/** Schedules a fault on each host that the scenario affects, at a random time after the warm-up. */
export function onTargets(
  world: World,
  fault: (host: SimulatedHost, at: number, index: number) => void,
): void {
  world.targets.forEach((host, index) => {
    fault(host, WARM_MS + world.random.unit() * (FAULTS_MS - ROUNDS * ROUND_MS), index);
  });
}

/**
 * Returns a function that stops some servers on each affected simulated host. They never start again. `count` gets the
 * number of servers of a host, and returns how many of them stop together.
 */
export function endServers(count: (servers: number) => number): Faults {
  return world =>
    onTargets(world, (host, at) => {
      const together = count(host.servers.length);
      const mode = together === host.servers.length && !host.refuses ? 'gone' : 'ended';
      // If a host has at least ten servers and one stops, two more servers stop: ten and twenty minutes later.
      const rounds = host.servers.length >= 10 && together === 1 ? ROUNDS + 1 : 1;
      world.random.some(host.servers, together * rounds).forEach((server, i) => {
        const round = Math.floor(i / together);
        const when = at + round * ROUND_MS;
        world.clock.at(when, () => server.end(mode, when));
      });
    });
}

/**
 * Returns a function that stops simulated servers and starts them again after `seconds`. On half of the affected hosts,
 * all servers stop and start together. On the other half, only a few servers of each host stop, one after the other.
 */
export function restartServers(seconds: number): Faults {
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
  return world =>
    onTargets(world, (host, at, index) => {
      if (index % 2 === 0) restart(world, host.servers, at);
      else {
        const ones = world.random.some(host.servers, ROUNDS + 1);
        for (const [round, server] of ones.entries()) restart(world, [server], at + round * ROUND_MS);
      }
    });
}

/**
 * Calls `call` at random times: MEAN_GAP_MS milliseconds apart on average, and never less than `leastMs` milliseconds
 * apart.
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
 * Makes simulated servers drop all packets for 45 s, again and again. On half of the affected hosts, all servers drop
 * packets at the same times. On the other half, each server drops packets at times of its own.
 */
export function makeUnresponsive(world: World): void {
  const pause = (servers: readonly SimulatedServer[], at: number): void => {
    for (const server of servers) server.mode = 'unresponsive';
    world.clock.at(at + UNRESPONSIVE_MS, () => {
      for (const server of servers) server.mode = 'up';
    });
  };
  const leastMs = UNRESPONSIVE_MS + RESPONSIVE_MS;
  world.targets.forEach(({ servers }, index) => {
    if (index % 2 === 0) atRandom(world, leastMs, at => pause(servers, at));
    else for (const server of servers) atRandom(world, leastMs, at => pause([server], at));
  });
}

/**
 * Schedules bursts of packet loss: a host loses all packets for some seconds. In half of the affected networks, all
 * hosts lose packets together.
 */
export function addLossBursts(world: World): void {
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

/**
 * Schedules outages of the prober's own network. Each outage lasts 60 s. `every`: milliseconds from the start of one
 * outage to the start of the next.
 */
export function addOutages({ clock, random, wire }: World, every: number): void {
  for (let at = WARM_MS + random.unit() * MINUTE; at < RUN_MS; at += every) {
    clock.at(at, () => {
      wire.isOut = true;
    });
    clock.at(at + OUTAGE_MS, () => {
      wire.isOut = false;
    });
  }
}

/** Makes simulated servers unreachable for good at the time `at`, in milliseconds of the virtual clock. */
export function makeUnreachable({ clock }: World, servers: readonly SimulatedServer[], at: number): void {
  clock.at(at, () => {
    for (const server of servers) server.end('gone', at);
  });
}
