/*
 * FNV-1a of 32 bits (draft-eastlake-fnv), in the forms that texts, bytes and numbers come in. Each takes the hash of
 * what stands before, so that several values are hashed as one, without joining them. Results are signed. Not for
 * names that outsiders choose to collide, unless the hash starts from a secret number.
 */

/** The hash of nothing, as FNV-1a defines it. */
export const FNV_OFFSET = 0x811c9dc5 | 0;

const PRIME = 0x01000193;

/** Hashes a number as one step; FNV-1a takes a byte. */
export function fnv1aStep(part: number, before: number): number {
  return Math.imul(before ^ part, PRIME);
}

/** Hashes a text by its UTF-16 units, which are its bytes if it is ASCII. */
export function fnv1aText(text: string, before = FNV_OFFSET): number {
  let hash = before;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), PRIME);
  return hash;
}

/** Hashes bytes from `start` to `end`. */
export function fnv1aBytes(bytes: Uint8Array, start: number, end: number, before = FNV_OFFSET): number {
  let hash = before;
  for (let i = start; i < end; i++) hash = Math.imul(hash ^ (bytes[i] as number), PRIME);
  return hash;
}
