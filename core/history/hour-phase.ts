import { fnv1aText } from '../../runtime/fnv1a.ts';
import { phaseOf, phaseOfKey, type ServerName } from '../servers/server-phase.ts';
import { HOUR_MS } from './units.ts';

/**
 * Initial value of the hash that decides when a server's hours of samples begin. The hash for the probe times has a
 * different value. Otherwise, with a million servers, 17,000 hours would end in the same second.
 */
const HASH = fnv1aText('hour ');
const SECOND_MS = 1_000;

function phaseMs(share: number): number {
  return Math.floor(share * (HOUR_MS / SECOND_MS)) * SECOND_MS;
}

/**
 * Returns the phase of a server, ms: the time from a full hour to the start of its hour of samples. The phase is a
 * whole number of seconds, less than an hour.
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
