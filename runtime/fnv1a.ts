/*
 * Signed 32-bit FNV-1a hashes (draft-eastlake-fnv). `before` is the hash so far. To hash the data of callers, start
 * with a secret `before`: otherwise attackers can choose values that collide.
 */

/** The initial hash of FNV-1a, which is also the hash of an empty input. */
export const FNV_OFFSET = 0x811c9dc5 | 0;

const PRIME = 0x01000193;

/** Adds a 32-bit number to the hash `before`, all bits at once. Standard FNV-1a adds one byte at a time. */
export function fnv1aStep(part: number, before: number): number {
  return Math.imul(before ^ part, PRIME);
}

/** Hashes the UTF-16 units of a text. For ASCII text, the hash equals that of `fnv1aBytes`. */
export function fnv1aText(text: string, before = FNV_OFFSET): number {
  let hash = before;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), PRIME);
  return hash;
}

/** Hashes the bytes from `start` to `end`. */
export function fnv1aBytes(bytes: Uint8Array, start: number, end: number, before = FNV_OFFSET): number {
  let hash = before;
  for (let i = start; i < end; i++) hash = Math.imul(hash ^ (bytes[i] as number), PRIME);
  return hash;
}
