import type { Wire } from './far-network.ts';

/** The first message to the process `shared-hosts.ts`. It contains the hosts to simulate, and the packet loss. */
export interface SharedHostsWish extends Wire {
  hosts: { address: string; servers: number }[];
  /** Port of the first game server of each simulated host. The other servers of the host use the ports after it. */
  firstPort: number;
  /** Percentage of packets that the simulated network loses in each direction. */
  loss: number;
}

/**
 * A command to the process `shared-hosts.ts`, which runs fake game servers. `silence`: keep the port open, but send no
 * reply. `arrivals`: list all received packets.
 */
export type SharedHostsOrder =
  | { order: 'end' | 'silence' | 'start'; address: string; ports: readonly number[] }
  | { order: 'arrivals' };

/** Returns the name that a fake game server reports. It contains the number of times that the server has started. */
export function nameOf(server: string, starts: number): string {
  return `${server}, start ${starts}`;
}
