import { fnv1aText } from '../../runtime/fnv1a.ts';
import { phaseOf, phaseOfKey, type ServerName } from '../servers/server-phase.ts';
import { HOUR_MS } from './units.ts';

/**
 * Initial value of the hash that decides how long after a full hour the history begins a new hour of a server. The hash
 * for probe times has a different initial value. With the same value, 17,000 of a million servers would end an hour in
 * the same second.
 */
const HASH = fnv1aText('hour ');
const SECOND_MS = 1_000;

function phaseMs(share: number): number {
  return Math.floor(share * (HOUR_MS / SECOND_MS)) * SECOND_MS;
}

/**
 * Returns the phase of a server in ms: how long after a full hour its hours of samples begin. The phase is a whole
 * number of seconds, less than an hour.
 */
export function hourPhase(server: ServerName): number {
  return phaseMs(phaseOf(server, HASH));
}

/**
 * Like `hourPhase`, for the server with this `serverKey`: returns how long after a full hour its hours of samples
 * begin, ms. With 40 minutes, they last from 13:40 to 14:40, for example.
 */
export function hourPhaseOfKey(key: string): number {
  return phaseMs(phaseOfKey(key, HASH));
}
