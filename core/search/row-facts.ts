import { fnv1aBytes } from '../../runtime/fnv1a.ts';
import { statuses } from '../servers/server-record.ts';
import type { Facts } from './change-batch.ts';
import { foldText, foldWords, shortened } from './folded-text.ts';

/**
 * The fields of the 32-bit column `facts` of the search index. `shift`: position of the lowest bit of the field. `max`:
 * largest value of the field. The fields for the map and the version contain hashes, so that a search can exclude most
 * servers without reading their texts.
 */
export const FACTS = {
  players: { shift: 12, max: 2 ** 20 - 1 },
  status: { shift: 10, max: 3 },
  password: { shift: 9, max: 1 },
  isPublic: { shift: 8, max: 1 },
  mapHash: { shift: 4, max: 15 },
  versionHash: { shift: 0, max: 15 },
} as const;

/** Maximum lengths of the folded (normalised) texts of a server in the search index, in bytes. */
export const MOST = { name: 512, map: 255, version: 255 };
const SPACE = 0x20;
const LETTER_A = 0x61;
/**
 * Position of a bit in the column `letters` of the search index. This bit is set if a word of the server name begins
 * with a byte other than a letter from a to z.
 */
const OTHER_LETTER = 26;
/**
 * The column `facts` of the search index contains this many bits of the map hash. The column `letters` contains the
 * other five bits.
 */
const MAP_HASH_BITS = 4;
/**
 * `signatureOf` computes the signature of a server name from this many bytes at the beginning of each word. The later
 * bytes of a word do not change the signature.
 */
const HASHED_BYTES = 4;

/**
 * Returns a 9-bit hash of the map or version of a server, for the columns `facts` and `letters` of the search index. By
 * this hash, a search excludes most servers without reading their texts.
 */
export function textHash(text: Uint8Array): number {
  const hash = fnv1aBytes(text, 0, text.length);
  return (hash ^ (hash >>> 15)) & 0x1ff;
}

/**
 * Returns the bits for a server name in the column `letters` of the search index. There is one bit for each letter from
 * a to z that begins a word. One bit stands for all other first bytes.
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

/**
 * True if the searched text is a single letter from a to z. Such a search needs only the column `letters`, which
 * contains the first letters of all words.
 */
export function isLetter(words: Uint8Array): boolean {
  return words.length === 1 && ((words[0] as number) - LETTER_A) >>> 0 < OTHER_LETTER;
}

/**
 * Returns the upper five bits of the hash of a game map (`textHash`), shifted to their place in the column `letters` of
 * the search index. The lower four bits are in the column `facts`.
 */
export function mapLetters(map: Uint8Array): number {
  return (textHash(map) >>> MAP_HASH_BITS) << (OTHER_LETTER + 1);
}

/**
 * Bit mask for the column `letters` of the search index: the bits of the map hash. All other bits stand for the first
 * letters of the words in the name.
 */
export const MAP_LETTERS = -1 << (OTHER_LETTER + 1);

/**
 * Returns a 32-bit Bloom filter of the word beginnings (2 to 4 bytes) in a server name or a search. A name can match
 * only if it has all bits of the search.
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

/**
 * Folds a text for the search (for example, to lower case; see folded-text.ts). Returns the folded text as UTF-8 bytes
 * of limited length.
 */
export function foldedBytes(text: string, kind: keyof typeof MOST): Uint8Array {
  return shortened(Buffer.from(kind === 'name' ? foldWords(text) : foldText(text)), MOST[kind]);
}

/** Returns the bits for the status, the players and the flags of a server in the column `facts` of the search index. */
export function factBits({ status, players, password, isPublic }: Facts): number {
  return (
    Math.min(players, FACTS.players.max) * 2 ** FACTS.players.shift +
    (statuses.indexOf(status) << FACTS.status.shift) +
    (password ? 1 << FACTS.password.shift : 0) +
    (isPublic ? 1 << FACTS.isPublic.shift : 0)
  );
}
