import { fnv1aText } from '../../runtime/fnv1a.ts';
import { phaseOf, phaseOfKey, type ServerName } from '../servers/server-phase.ts';
import { HOUR_MS } from './units.ts';

/**
 * Initial value of the hash. With the phase of the probes, the first probe after the end of an hour would come at the
 * same second of the minute for one server in 59, so 17,000 of a million servers would seal an hour in one second.
 */
const HASH = fnv1aText('hour ');
const SECOND_MS = 1_000;

function phaseMs(share: number): number {
  return Math.floor(share * (HOUR_MS / SECOND_MS)) * SECOND_MS;
}

/**
 * Returns the phase of the hours of a server, ms: a whole number of seconds, less than an hour. The hours of the server
 * begin this time after the calendar hours.
 */
export function hourPhase(server: ServerName): number {
  return phaseMs(phaseOf(server, HASH));
}

/** Like `hourPhase`, for a server key (`serverKey`). */
export function hourPhaseOfKey(key: string): number {
  return phaseMs(phaseOfKey(key, HASH));
}
