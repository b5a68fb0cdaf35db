import { fnv1aText } from '../../runtime/fnv1a.ts';
import { phaseOf, phaseOfKey, type ServerName } from '../servers/server-phase.ts';
import { HOUR_MS } from './units.ts';

/**
 * Initial value of the hash. It differs from the initial value of the hash for the phase of the probes. With equal
 * phases, 17,000 of a million servers would end their hours in the same second, once a minute.
 */
const HASH = fnv1aText('hour ');
const SECOND_MS = 1_000;

function phaseMs(share: number): number {
  return Math.floor(share * (HOUR_MS / SECOND_MS)) * SECOND_MS;
}

/**
 * Returns the phase of the hours of a server: the time from the begin of a calendar hour to the begin of the server's
 * hour, ms. It is a whole number of seconds and less than an hour.
 */
export function hourPhase(server: ServerName): number {
  return phaseMs(phaseOf(server, HASH));
}

/** Does the same as `hourPhase`, but takes a server key (`serverKey`). */
export function hourPhaseOfKey(key: string): number {
  return phaseMs(phaseOfKey(key, HASH));
}
