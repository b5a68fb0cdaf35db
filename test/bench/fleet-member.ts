import { fleetServer } from '../fleet/fleet-server.ts';
import type { FleetServer } from '../fleet/responder.ts';
import { randomNumbers } from '../system/random-numbers.ts';

/** A fake server and its IPv4 address. Each fake server has a /24 network of its own. */
export interface FleetMember {
  address: string;
  server: FleetServer;
}

/** Address of one fake server, and the server name and player count that a correct query must return. */
export interface FleetTarget {
  address: string;
  port: number;
  name: string;
  players: number;
}

/**
 * Returns `count` fake servers, numbered from `first`. A number always stands for the same server. If `populated` is
 * true, all servers have players, otherwise half of them.
 */
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
