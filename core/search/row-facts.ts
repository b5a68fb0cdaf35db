import { fnv1aBytes } from '../../runtime/fnv1a.ts';
import { statuses } from '../servers/server-record.ts';
import type { Facts } from './change-batch.ts';
import { foldText, foldWords, shortened } from './folded-text.ts';

/**
 * Position (`shift`) and maximum value of each field in an entry of the column `facts`. The hashes of map and version
 * exclude most servers that do not match, so a search need not read the texts of these servers.
 */
export const FACTS = {
  players: { shift: 12, max: 2 ** 20 - 1 },
  status: { shift: 10, max: 3 },
  password: { shift: 9, max: 1 },
  isPublic: { shift: 8, max: 1 },
  mapHash: { shift: 4, max: 15 },
  versionHash: { shift: 0, max: 15 },
} as const;

/** Maximum lengths of the folded texts of a server in the search index, in bytes. */
export const MOST = { name: 512, map: 255, version: 255 };
const SPACE = 0x20;

/** Returns the hash of a folded map or version, for `FACTS.mapHash` and `FACTS.versionHash`. */
export function textHash(text: Uint8Array): number {
  const hash = fnv1aBytes(text, 0, text.length);
  return (hash ^ (hash >>> 15)) & 0xff;
}

/**
 * Returns the signature of some words, 32 bits. Each word sets up to three bits: one for its first byte, one for its
 * first two bytes, and one for its first three bytes. A name can contain a word that begins with `prefix` only if its
 * signature contains the signature of `prefix`.
 */
export function signatureOf(words: Uint8Array): number {
  let signature = 0;
  let hash = 0;
  let length = 0;
  for (const byte of words) {
    if (byte === SPACE) {
      length = 0;
      continue;
    }
    if (length === 3) continue;
    hash = Math.imul((length === 0 ? 0x9e3779b1 : hash) ^ byte, 0x85ebca6b);
    hash ^= hash >>> 13;
    signature |= 1 << (hash >>> 27);
    length++;
  }
  return signature >>> 0;
}

/** Returns a folded text as UTF-8 bytes of limited length. */
export function foldedBytes(text: string, kind: keyof typeof MOST): Uint8Array {
  return shortened(Buffer.from(kind === 'name' ? foldWords(text) : foldText(text)), MOST[kind]);
}

/** Returns the bits of status, players, password and visibility for the column `facts`. */
export function factBits({ status, players, password, isPublic }: Facts): number {
  return (
    Math.min(players, FACTS.players.max) * 2 ** FACTS.players.shift +
    (statuses.indexOf(status) << FACTS.status.shift) +
    (password ? 1 << FACTS.password.shift : 0) +
    (isPublic ? 1 << FACTS.isPublic.shift : 0)
  );
}
