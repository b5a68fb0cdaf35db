import type { Random } from './random.ts';
import { SimulatedHost, SimulatedNetwork } from './simulated-host.ts';

/** A group of simulated hosts that all have the same number of game servers. */
interface Kind {
  /** Number of game servers on each host of the group. */
  size: number;
  targets: number;
  healthy: number;
  /** Number of simulated hosts in each simulated /24 network. */
  aNetwork: number;
}

/**
 * Groups of simulated hosts with the same number of game servers (`size`). `targets` and `healthy`: numbers of hosts in
 * the group. Faults affect only the `targets`, which are 80 % of the hosts.
 */
const KINDS: readonly Kind[] = [
  { size: 1, targets: 240, healthy: 60, aNetwork: 3 },
  { size: 2, targets: 80, healthy: 20, aNetwork: 2 },
  { size: 10, targets: 32, healthy: 8, aNetwork: 8 },
  { size: 50, targets: 12, healthy: 3, aNetwork: 1 },
];
/** The smallest simulated fleet: six hosts with one game server each, two hosts in each of three networks. */
const SIX: Kind = { size: 1, targets: 6, healthy: 0, aNetwork: 2 };

export const SIZES: readonly number[] = KINDS.map(({ size }) => size);

/** Builds simulated networks with four kinds of hosts: with 1, 2, 10 and 50 game servers per host. */
export function manyHosts(random: Random): SimulatedNetwork[] {
  return networksOf(KINDS, random);
}

export function sixServers(random: Random): SimulatedNetwork[] {
  return networksOf([SIX], random);
}

function networksOf(kinds: readonly Kind[], random: Random): SimulatedNetwork[] {
  const networks: SimulatedNetwork[] = [];
  const add = (hosts: number, isTarget: boolean, { size, aNetwork }: Kind): void => {
    let network: SimulatedNetwork | undefined;
    for (let i = 0; i < hosts; i++) {
      if (!network || network.hosts.length === aNetwork) {
        network = new SimulatedNetwork(isTarget);
        networks.push(network);
      }
      const address = addressIn(networks.length, network.hosts.length);
      network.hosts.push(new SimulatedHost(network, address, size, random));
    }
  };
  for (const kind of kinds) {
    add(kind.targets, true, kind);
    add(kind.healthy, false, kind);
  }
  return networks;
}

/** Returns the public address of a simulated host. The core rejects other addresses. No real packets are sent to it. */
function addressIn(network: number, host: number): string {
  return `45.${network >> 8}.${network & 0xff}.${10 + host}`;
}
