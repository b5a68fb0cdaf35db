import { fnv1aText } from '../../runtime/fnv1a.ts';
import { phaseOf, phaseOfKey, type ServerName } from '../servers/server-phase.ts';
import { HOUR_MS } from './units.ts';

/**
 * Initial value of the hash that decides at which minute and second the history begins a new hour of samples for a
 * server. The hash that decides when a server is probed has a different initial value. With the same value, the hours
 * of many servers would end at the same time: with a million servers, 17,000 in one second of each minute.
 */
const HASH = fnv1aText('hour ');
const SECOND_MS = 1_000;

function phaseMs(share: number): number {
  return Math.floor(share * (HOUR_MS / SECOND_MS)) * SECOND_MS;
}

/**
 * Returns the phase of a server, ms. The history groups the samples of a server by hours that can begin at any minute.
 * The phase is the time from a full hour to the start of such an hour. With a phase of 40 minutes, an hour lasts from
 * 13:40 to 14:40. The phase is a whole number of seconds, and less than an hour.
 */
export function hourPhase(server: ServerName): number {
  return phaseMs(phaseOf(server, HASH));
}

/**
 * Returns the phase of the server with this `serverKey`, ms, as `hourPhase` does. With a phase of 40 minutes, the
 * history groups the samples of the server by hours such as 13:40 to 14:40.
 */
export function hourPhaseOfKey(key: string): number {
  return phaseMs(phaseOfKey(key, HASH));
}
