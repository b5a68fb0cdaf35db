import { fnv1aText } from '../../runtime/fnv1a.ts';
import type { ServerRecord } from './server-record.ts';

/** The two parts of a server key: the game and the address of the server. */
export type ServerName = Pick<ServerRecord, 'gameId' | 'address'>;

/**
 * Returns the phase of a server, a number from 0 to 1. It moves the due time of the server within an interval, so that
 * not all servers are due at the same time. The phase is a hash of the server key. `before`: start value of the hash. A
 * different start value gives an independent phase.
 */
export function phaseOf({ gameId, address }: ServerName, before?: number): number {
  // The parts of the server key are hashed one by one, because V8 would have to copy a concatenated string before
  // hashing it.
  return shareOf(fnv1aText(address, fnv1aText(' ', fnv1aText(gameId, before))));
}

/** Returns the phase (offset within an interval, from 0 to 1) of the server with this key (`serverKey`). */
export function phaseOfKey(key: string, before?: number): number {
  return shareOf(fnv1aText(key, before));
}

/**
 * Converts an FNV-1a hash to a number from 0 to 1, with the last step of MurmurHash3. Without this step, servers on
 * neighbouring ports would get similar numbers, and gsq would probe them almost together.
 */
function shareOf(hash: number): number {
  let bits = hash;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return ((bits ^ (bits >>> 16)) >>> 0) / 2 ** 32;
}
