import { fnv1aText } from '../../runtime/fnv1a.ts';
import { phaseOf, phaseOfKey, type ServerName } from '../servers/server-phase.ts';
import { HOUR_MS } from './units.ts';

/**
 * Initial value of the hash from which `hourPhase` computes the phase. Probe times use a hash with a different initial
 * value, so that phases and probe times do not depend on each other. If both values were equal, 17,000 of a million
 * servers would end an hour of samples in the same second.
 */
const HASH = fnv1aText('hour ');
const SECOND_MS = 1_000;

function phaseMs(share: number): number {
  return Math.floor(share * (HOUR_MS / SECOND_MS)) * SECOND_MS;
}

/**
 * Returns the phase of a server, ms: how long after a full hour each hour of its stored samples begins. With the phase
 * 40 minutes, an hour lasts from 13:40 to 14:40. The phase is a whole number of seconds, less than an hour.
 */
export function hourPhase(server: ServerName): number {
  return phaseMs(phaseOf(server, HASH));
}

/** Returns the phase of the server with this `serverKey`, ms. `hourPhase` explains the phase. */
export function hourPhaseOfKey(key: string): number {
  return phaseMs(phaseOfKey(key, HASH));
}
