import { BareCrowd, type BareProtocol } from './bare-crowd.ts';
import { FleetHosts } from './fleet-hosts.ts';
import type { FleetTarget } from './fleet-member.ts';

/**
 * Fake servers of one protocol. Each server has its own address in its own network. Half of the servers have players.
 */
export interface PlayedFleet {
  /** What simulates the servers: `a C program` or `two Node processes`. Result tables show this text in their notes. */
  by: string;
  targets: readonly FleetTarget[];
  stop(): Promise<void>;
}

/**
 * Starts fake servers in a C program. If the machine has no C compiler or does not run Linux, starts the fake servers
 * in Node processes.
 */
export async function playFleet(protocol: BareProtocol, servers: number): Promise<PlayedFleet> {
  const crowd = await BareCrowd.start(protocol, servers);
  if (crowd) return { by: 'a C program', targets: crowd.targets, stop: () => crowd.stop() };
  const hosts = await FleetHosts.start();
  const targets = await hosts.open(protocol, servers);
  return { by: 'two Node processes', targets, stop: () => hosts.stop() };
}
