import { fnv1aText } from '../../runtime/fnv1a.ts';
import { phaseOf, phaseOfKey, type ServerName } from '../servers/server-phase.ts';
import { HOUR_MS } from './units.ts';

/**
 * Initial value of the hash for `hourPhase`. It differs from the initial value for probe times; otherwise 17,000 of a
 * million servers would end an hour in the same second.
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
 * begin, ms. With 40 minutes, an hour lasts from 13:40 to 14:40.
 */
export function hourPhaseOfKey(key: string): number {
  return phaseMs(phaseOfKey(key, HASH));
}
