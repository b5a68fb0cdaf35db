import { limitKeyOf } from '../../net/network.ts';
import { fnv1aText } from '../../runtime/fnv1a.ts';

/**
 * Returns the key that decides which core gets the calls of a caller: the secret of its API token, or its IP address if
 * it has no token. All addresses of an IPv6 /64 network have the same key, as in the rate limits of the core.
 */
export function placementKey(token: string, address: string): string {
  return token === '' ? limitKeyOf(address) : token;
}

/**
 * Returns the score of a core for a key (rendezvous hashing, also called highest random weight). The core with the
 * highest score gets the calls with this key. If this core leaves, only its own keys move to other cores. `keyHash` and
 * `coreHash` are FNV-1a hashes. An attacker can find many keys of the same core, but gains nothing: one key is enough
 * to send all calls to one core.
 */
export function placementScore(keyHash: number, coreHash: number): number {
  // The finalizer of MurmurHash3 spreads each input bit over all bits of the score.
  let hash = keyHash ^ coreHash;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** Hashes an argument of `placementScore`: the address of a core, or a key that `placementKey` returned. */
export function placementHash(text: string): number {
  return fnv1aText(text);
}
