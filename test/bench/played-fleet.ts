import { BareCrowd, type BareProtocol } from './bare-crowd.ts';
import { FleetHosts } from './fleet-hosts.ts';
import type { FleetTarget } from './fleet-member.ts';

/** Made-up servers of one protocol, each at an address and in a network of its own, half of them with players. */
export interface PlayedFleet {
  /** What plays them, in words. */
  by: string;
  targets: readonly FleetTarget[];
  stop(): Promise<void>;
}

/** Played by a program in C, or where there is no compiler by Node. */
export async function playFleet(protocol: BareProtocol, servers: number): Promise<PlayedFleet> {
  const crowd = await BareCrowd.start(protocol, servers);
  if (crowd) return { by: 'a C program', targets: crowd.targets, stop: () => crowd.stop() };
  const hosts = await FleetHosts.start();
  const targets = await hosts.open(protocol, servers);
  return { by: 'two Node processes', targets, stop: () => hosts.stop() };
}
