/**
 * A process at the far end of a virtual cable, in its own network namespace. It runs fake game servers, and records all
 * packets that arrive. A packet to a port without a game server gets the ICMP answer "port unreachable".
 */
import { Fleet } from '../fleet/fleet.ts';
import { fleetServer } from '../fleet/fleet-server.ts';
import { beFarSide, type Wire } from './far-network.ts';
import { PacketTap } from './packet-tap.ts';
import { randomNumbers } from './random-numbers.ts';

/**
 * The settings of the process with the fake game servers: the network settings and the addresses of the servers.
 */
export interface FarSideWish extends Wire {
  /** IPv4 addresses of the fake game servers. Each server uses Valve's A2S protocol on the port `port`. */
  games: string[];
  port: number;
}

const wish = await beFarSide<FarSideWish>();
const random = randomNumbers(5);
await Fleet.open(
  wish.games.map(address => ({ protocol: 'a2s', address, server: fleetServer(random, wish.port) })),
);
const tap = new PacketTap();
// Discards the packets that were recorded so far, because they arrived before the test sent its first packet.
tap.arrivals();
process.on('message', () => process.send?.(tap.arrivals()));
process.send?.('ready');
