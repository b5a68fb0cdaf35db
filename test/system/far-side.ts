/**
 * The far end of the cable, a process in its own network namespace. It owns all addresses of its networks,
 * hears every packet to them, and runs a game server at some of them. At other ports the kernel answers that
 * nobody listens.
 */
import { once } from 'node:events';
import { Fleet } from '../fleet/fleet.ts';
import { fleetServer } from '../fleet/fleet-server.ts';
import { beFarSide, type Wire } from './far-network.ts';
import { PacketTap } from './packet-tap.ts';
import { randomNumbers } from './random-numbers.ts';

/** The first message to the far side. */
export interface FarSideWish extends Wire {
  /** IPv4 addresses that have a game server of Valve's protocol on `port`. */
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
// Packets that arrived before do not belong to the test.
tap.arrivals();
process.on('message', () => process.send?.(tap.arrivals()));
process.send?.('ready');
