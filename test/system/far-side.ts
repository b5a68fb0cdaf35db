/**
 * The other end of the wire, as a process in a network of its own: all addresses of its networks are its, it hears every
 * packet for them, and has a game server at each of some. Nobody is at home elsewhere: the kernel says so.
 */
import { once } from 'node:events';
import { Fleet } from '../fleet/fleet.ts';
import { fleetServer } from '../fleet/fleet-server.ts';
import { beFarSide, type Wire } from './far-network.ts';
import { PacketTap } from './packet-tap.ts';
import { randomNumbers } from './random-numbers.ts';

/** What it is told first. */
export interface FarSideWish extends Wire {
  /** IPv4 addresses with a game server of Valve's protocol each, on `port`. */
  games: string[];
  port: number;
}

const [wish] = (await once(process, 'message')) as [FarSideWish];
process.on('disconnect', () => process.exit());
await beFarSide(wish);
const random = randomNumbers(5);
await Fleet.open(
  wish.games.map(address => ({ protocol: 'a2s', address, server: fleetServer(random, wish.port) })),
);
const tap = new PacketTap();
// Whatever came before is none of the test's.
tap.arrivals();
process.on('message', () => process.send?.(tap.arrivals()));
process.send?.('ready');
