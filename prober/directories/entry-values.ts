import type { RawPlayer, RawStatus } from '../answers/raw-status.ts';
import { count, field } from '../answers/untyped-values.ts';

const MAX_PLAYERS = 255;

/** Parses a body as JSON. Throws if it is not JSON. */
export function readJson(body: Buffer): unknown {
  return JSON.parse(new TextDecoder().decode(body));
}

/** Returns a property of the JSON in a body; undefined if it is absent or the body is not JSON. */
export function fieldOf(body: Buffer, key: string): unknown {
  try {
    return field(readJson(body), key);
  } catch {
    return undefined;
  }
}

/** The status of a directory entry; undefined if the entry makes no sense. */
export function statusOf(read: () => RawStatus): RawStatus | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** Returns `value` as an array. Throws if it is not one. */
export function arrayOf(value: unknown): unknown[] {
  if (!Array.isArray(value)) throw new TypeError('not an array');
  return value;
}

/** Returns a property as a count; undefined if it is absent. Throws on anything else. */
export function countOf(object: unknown, key: string): number | undefined {
  const found = count(object, key);
  if (Number.isNaN(found)) throw new TypeError(`${key} is no count`);
  return found;
}

/** Returns the length of an array property; undefined if it is absent. Throws on anything else. */
export function lengthOf(object: unknown, key: string): number | undefined {
  const found = field(object, key) ?? undefined;
  return found === undefined ? undefined : arrayOf(found).length;
}

/**
 * Reads the digits at the start of a text as a count; undefined if the text is absent or empty. Throws on a
 * text without digits.
 */
export function leadingCount(value: unknown): number | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  const digits = /^\d{1,6}(?!\d)/.exec(String(value))?.[0];
  if (digits === undefined) throw new TypeError('not a count');
  return Number(digits);
}

/**
 * Reads the digits at the start of a text as a port. Returns 0 if there are none; no server is looked up
 * under port 0.
 */
export function portOf(value: unknown): number {
  return Number(/^\d{1,5}(?!\d)/.exec(String(value ?? ''))?.[0] ?? 0);
}

/** The largest of the counts that are present; undefined if none is. */
export function largestOf(...counts: readonly (number | undefined)[]): number | undefined {
  const told = counts.filter(each => each !== undefined);
  return told.length > 0 ? Math.max(...told) : undefined;
}

/** The counts of a status. A count that the directory does not tell is left out, because it is not 0. */
export function toldCounts(
  players: number | undefined,
  maxplayers: number | undefined,
): Pick<RawStatus, 'players' | 'maxplayers'> {
  return { ...(players !== undefined && { players }), ...(maxplayers !== undefined && { maxplayers }) };
}

/** Joins the parts of a version by dots, up to the first absent part. */
export function dotted(...parts: readonly unknown[]): string {
  const isPart = (part: unknown) => (typeof part === 'string' && part !== '') || typeof part === 'number';
  const end = parts.findIndex(part => !isPart(part));
  return (end < 0 ? parts : parts.slice(0, end)).join('.');
}

/** Player entries for a list that only holds names. */
export function namedPlayers(names: readonly unknown[]): RawPlayer[] {
  return names.slice(0, MAX_PLAYERS).map(name => ({ name: typeof name === 'string' ? name : '' }));
}
