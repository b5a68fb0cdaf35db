import { fnv1aText } from '../../runtime/fnv1a.ts';
import { phaseOf, phaseOfKey, type ServerName } from '../servers/server-phase.ts';
import { HOUR_MS } from './units.ts';

/**
 * Initial value of the hash that decides when the hours of a server begin in the history. The hash that decides when a
 * server is probed has a different initial value. If both hashes were equal, the hours of many servers would end at the
 * same time: with a million servers, 17,000 in one second of each minute.
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
 * Returns by how many ms the hours of a server's history begin later than calendar hours (see `hourPhase`). `key`: the
 * `serverKey` of the server.
 */
export function hourPhaseOfKey(key: string): number {
  return phaseMs(phaseOfKey(key, HASH));
}
