import { limitKeyOf } from '../../net/network.ts';
import { fnv1aText } from '../../runtime/fnv1a.ts';

/**
 * Returns the key that decides which core gets the calls of a caller: its API token, or its IP address if it has no
 * token. All addresses of an IPv6 /64 network have the same key.
 */
export function placementKey(token: string, address: string): string {
  return token === '' ? limitKeyOf(address) : token;
}

/**
 * Returns the score of a core for a key (rendezvous hashing). The core with the highest score gets the calls with this
 * key. If a core leaves, only its keys move to other cores. `keyHash` and `coreHash`: see `placementHash`.
 */
export function placementScore(keyHash: number, coreHash: number): number {
  // Mixes both hashes with the finalizer of MurmurHash3, so that each bit of a hash influences all bits of the score.
  let hash = keyHash ^ coreHash;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/**
 * Returns the FNV-1a hash of a text, for `placementScore`. The text is the address of a core, or the key of a caller
 * (see `placementKey`).
 */
export function placementHash(text: string): number {
  // The hash has no secret key, so an attacker can find many caller keys that all lead to the same core. This is no
  // additional danger: with a single key, the attacker could overload this core just as well.
  return fnv1aText(text);
}
