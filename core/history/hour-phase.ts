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
 * Returns the phase of the hours of a server, ms. The history divides the samples of a server into hours. The phase
 * says how much later these hours begin than the calendar hours. It is a whole number of seconds and less than an hour.
 */
export function hourPhase(server: ServerName): number {
  return phaseMs(phaseOf(server, HASH));
}

/**
 * Does the same as `hourPhase`, but for the server with this `serverKey`: returns the time from a full hour to the
 * start of an hour of the server in the history, ms.
 */
export function hourPhaseOfKey(key: string): number {
  return phaseMs(phaseOfKey(key, HASH));
}
