import { limitKeyOf } from '../../net/network.ts';
import { fnv1aText } from '../../runtime/fnv1a.ts';

/**
 * Returns the text by which the calls of a caller are placed on a core: the secret of its token, or its address if it
 * has no token. The addresses of an IPv6 /64 are one caller, as in the limits of the core.
 */
export function placementKey(token: string, address: string): string {
  return token === '' ? limitKeyOf(address) : token;
}

/**
 * Returns how well a key fits to a core (rendezvous hashing, or highest random weight). The core with the highest score
 * gets the calls of the key. If this core leaves, only its own keys move to other cores. `keyHash` and `coreHash` are
 * FNV-1a hashes. An attacker can choose keys of the same core, but could as well send all calls with one key.
 */
export function placementScore(keyHash: number, coreHash: number): number {
  // The finalizer of MurmurHash3 spreads each input bit over all bits of the score.
  let hash = keyHash ^ coreHash;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** Hashes a placement key or the address of a core for `placementScore`. */
export function placementHash(text: string): number {
  return fnv1aText(text);
}
