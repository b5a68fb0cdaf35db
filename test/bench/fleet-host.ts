/** A part of a fleet of made-up game servers, in a process of its own. */
import { fleetServer } from '../fleet/fleet-server.ts';
import { responders } from '../fleet/responders.ts';
import { randomNumbers } from '../system/random-numbers.ts';
import { Crowd } from './crowd.ts';
import { answerQuestions } from './worker.ts';

/** What to open: `count` servers from the `first` on, at one port, each at an address in a network (/24) of its own. */
export interface FleetPart {
  /** One over UDP. */
  protocol: string;
  port: number;
  first: number;
  count: number;
  /** Whether somebody is on each; else half of them are empty. */
  populated: boolean;
}

/** One server of the fleet, as those who ask it need to know it. */
export interface FleetTarget {
  address: string;
  port: number;
  name: string;
  players: number;
}

let crowd: Crowd | undefined;

answerQuestions(async ({ protocol, port, first, count, populated }: FleetPart): Promise<FleetTarget[]> => {
  crowd?.close();
  const responder = responders.get(protocol);
  if (responder?.transport !== 'udp') throw new Error(`the fleet has no servers of ${protocol} over UDP`);
  const members = Array.from({ length: count }, (_, i) => {
    const number = first + i;
    const address = `127.${64 + (number >> 8)}.${number & 255}.1`;
    const random = randomNumbers(number);
    let server = fleetServer(random, port);
    while (populated && server.players.length === 0) server = fleetServer(random, port);
    return { address, server };
  });
  crowd = new Crowd(responder, port, members);
  return members.map(({ address, server }) => ({
    address,
    port,
    name: server.name,
    players: server.players.length,
  }));
});
