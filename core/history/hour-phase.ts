import { fnv1aText } from '../../runtime/fnv1a.ts';
import { phaseOf, phaseOfKey, type ServerName } from '../servers/server-phase.ts';
import { HOUR_MS } from './units.ts';

/**
 * Initial value of the hash that chooses the phase of a server's hours. The hash for the phase of a server's probes has
 * a different initial value. If both phases were equal, 17,000 of a million servers would end their hours in the same
 * second, once a minute.
 */
const HASH = fnv1aText('hour ');
const SECOND_MS = 1_000;

function phaseMs(share: number): number {
  return Math.floor(share * (HOUR_MS / SECOND_MS)) * SECOND_MS;
}

/**
 * Returns the phase of the hours of a server, ms. The history divides the samples of a server into hours, which begin
 * later than the calendar hours by this phase. The phase is a whole number of seconds and less than an hour.
 */
export function hourPhase(server: ServerName): number {
  return phaseMs(phaseOf(server, HASH));
}

/** Does the same as `hourPhase`, but takes a server key (`serverKey`). */
export function hourPhaseOfKey(key: string): number {
  return phaseMs(phaseOfKey(key, HASH));
}
