import { fleetServer } from '../fleet/fleet-server.ts';
import type { FleetServer } from '../fleet/responder.ts';
import { randomNumbers } from '../system/random-numbers.ts';

/** A server of the fleet and the IPv4 address it is at, in a network (/24) of its own. */
export interface FleetMember {
  address: string;
  server: FleetServer;
}

/** One server of the fleet, as those who ask it need to know it. */
export interface FleetTarget {
  address: string;
  port: number;
  name: string;
  players: number;
}

/** `count` servers from the `first` on, the same whenever asked. `populated`: with somebody on each, else half are empty. */
export function fleetMembers(first: number, count: number, port: number, populated = false): FleetMember[] {
  return Array.from({ length: count }, (_, i) => {
    const number = first + i;
    const address = `127.${64 + (number >> 8)}.${number & 255}.1`;
    const random = randomNumbers(number);
    let server = fleetServer(random, port);
    while (populated && server.players.length === 0) server = fleetServer(random, port);
    return { address, server };
  });
}

export function targetOf({ address, server: { port, name, players } }: FleetMember): FleetTarget {
  return { address, port, name, players: players.length };
}
