/** A worker process that simulates a part of a fleet of fake game servers. */
import { responders } from '../fleet/responders.ts';
import { Crowd } from './crowd.ts';
import { type FleetTarget, fleetMembers, targetOf } from './fleet-member.ts';
import { answerQuestions } from './worker.ts';

/** The fake servers that a worker process opens: `count` servers, numbered from `first`, all on one port. */
export interface FleetPart {
  /** Id of the query protocol (over UDP) of the fake servers. */
  protocol: string;
  port: number;
  first: number;
  count: number;
  /** If true, every fake server has players. If false, half of the fake servers are empty. */
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
