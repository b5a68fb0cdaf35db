/** A part of a fleet of made-up game servers, in a process of its own. */
import { Fleet } from '../fleet/fleet.ts';
import { fleetServer } from '../fleet/fleet-server.ts';
import { randomNumbers } from '../system/random-numbers.ts';
import { answerQuestions } from './worker.ts';

/** What to open: `count` servers from the `first` on, each at an address in a network (/24) of its own. */
export interface FleetPart {
  protocol: string;
  first: number;
  count: number;
}

/** One server of the fleet, as those who ask it need to know it. */
export interface FleetTarget {
  address: string;
  port: number;
  name: string;
  players: number;
}

let fleet: Fleet | undefined;

answerQuestions(async ({ protocol, first, count }: FleetPart): Promise<FleetTarget[]> => {
  await fleet?.close();
  const members = Array.from({ length: count }, (_, i) => {
    const number = first + i;
    const address = `127.${100 + (number >> 8)}.${number & 255}.1`;
    return { protocol, address, server: fleetServer(randomNumbers(number), 27_015) };
  });
  fleet = await Fleet.open(members);
  return members.map(({ address, server }) => ({
    address,
    port: server.port,
    name: server.name,
    players: server.players.length,
  }));
});
