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
const LETTER_A = 0x61;
/** Number of the bit in the column `letters` that stands for all first bytes except the letters a to z. */
const OTHER_LETTER = 26;
/**
 * Number of bits of the hash of a map that are in the column `facts`. Five more bits of this hash are in the column
 * `letters`.
 */
const MAP_HASH_BITS = 4;
/** Number of bytes at the beginning of a word that set bits of the signature (`signatureOf`). */
const HASHED_BYTES = 4;

/** Returns the hash of a folded map or version, 9 bits, for `FACTS.mapHash`, `FACTS.versionHash` and `mapLetters`. */
export function textHash(text: Uint8Array): number {
  const hash = fnv1aBytes(text, 0, text.length);
  return (hash ^ (hash >>> 15)) & 0x1ff;
}

/**
 * Returns the bits of the column `letters` for the words of a name: one bit for each of the letters a to z with which a
 * word begins, and one bit for all other first bytes. The remaining bits belong to the map (`mapLetters`).
 */
export function lettersOf(words: Uint8Array): number {
  let letters = 0;
  let previous = SPACE;
  for (const byte of words) {
    if (previous === SPACE) letters |= 1 << Math.min((byte - LETTER_A) >>> 0, OTHER_LETTER);
    previous = byte;
  }
  return letters;
}

/** True if the words are a single letter from a to z. A row then matches them if its column `letters` matches. */
export function isLetter(words: Uint8Array): boolean {
  return words.length === 1 && ((words[0] as number) - LETTER_A) >>> 0 < OTHER_LETTER;
}

/** Returns the bits of the column `letters` for a folded map: further bits of its hash. */
export function mapLetters(map: Uint8Array): number {
  return (textHash(map) >>> MAP_HASH_BITS) << (OTHER_LETTER + 1);
}

/** Mask of the bits that `mapLetters` returns. */
export const MAP_LETTERS = -1 << (OTHER_LETTER + 1);

/**
 * Returns the signature of some words, 32 bits. Each word sets up to three bits: one for its first two bytes, one for
 * its first three bytes, and one for its first four bytes. A name can contain a word that begins with `prefix` only if
 * its signature contains the signature of `prefix`.
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
    if (length === HASHED_BYTES) continue;
    hash = Math.imul((length === 0 ? 0x9e3779b1 : hash) ^ byte, 0x85ebca6b);
    hash ^= hash >>> 13;
    if (length > 0) signature |= 1 << (hash >>> 27);
    length++;
  }
  return signature;
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
