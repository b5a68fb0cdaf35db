/** A part of a fleet of made-up game servers, in a process of its own. */
import { responders } from '../fleet/responders.ts';
import { Crowd } from './crowd.ts';
import { type FleetTarget, fleetMembers, targetOf } from './fleet-member.ts';
import { answerQuestions } from './worker.ts';

/** What to open: `count` servers from the `first` on, at one port. */
export interface FleetPart {
  /** One over UDP. */
  protocol: string;
  port: number;
  first: number;
  count: number;
  /** Whether somebody is on each; else half of them are empty. */
  populated: boolean;
}

let crowd: Crowd | undefined;

answerQuestions(async ({ protocol, port, first, count, populated }: FleetPart): Promise<FleetTarget[]> => {
  crowd?.close();
  const responder = responders.get(protocol);
  if (responder?.transport !== 'udp') throw new Error(`the fleet has no servers of ${protocol} over UDP`);
  const members = fleetMembers(first, count, port, populated);
  crowd = new Crowd(responder, port, members);
  return members.map(targetOf);
});
