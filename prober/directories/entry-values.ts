import type { RawPlayer, RawStatus } from '../answers/raw-status.ts';
import { count, field } from '../answers/untyped-values.ts';

const MAX_PLAYERS = 255;

/** Parses the body of a reply from a public server list as JSON. Throws if the body is not JSON. */
export function readJson(body: Buffer): unknown {
  return JSON.parse(new TextDecoder().decode(body));
}

/**
 * Returns a property of the JSON in the body of a reply. Returns undefined if the property is absent or the body is not
 * JSON.
 */
export function fieldOf(body: Buffer, key: string): unknown {
  try {
    return field(readJson(body), key);
  } catch {
    return undefined;
  }
}

/**
 * Returns the result of `read`, which parses the data of one server in a public server list. Returns undefined if
 * `read` throws.
 */
export function statusOf(read: () => RawStatus): RawStatus | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** Returns `value` as an array. Throws if `value` is not an array. */
export function arrayOf(value: unknown): unknown[] {
  if (!Array.isArray(value)) throw new TypeError('not an array');
  return value;
}

/**
 * Returns a property of an object in a reply of a public server list as a count. Returns undefined if the property is
 * absent. Throws if its value is not a count.
 */
export function countOf(object: unknown, key: string): number | undefined {
  const found = count(object, key);
  if (Number.isNaN(found)) throw new TypeError(`${key} is no count`);
  return found;
}

/**
 * Returns the length of an array property of an object in a reply of a public server list. Returns undefined if the
 * property is absent. Throws if it is not an array.
 */
export function lengthOf(object: unknown, key: string): number | undefined {
  const found = field(object, key) ?? undefined;
  return found === undefined ? undefined : arrayOf(found).length;
}

/**
 * Reads the digits at the start of a text as a count, such as a number of players. Returns undefined if the text is
 * absent or empty. Throws if the text does not start with one to six digits.
 */
export function leadingCount(value: unknown): number | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  const digits = /^\d{1,6}(?!\d)/.exec(String(value))?.[0];
  if (digits === undefined) throw new TypeError('not a count');
  return Number(digits);
}

/**
 * Reads the digits at the start of a value as a port number. Returns 0 if the value does not start with one to five
 * digits. A server with port 0 is never found, because no look-up searches for port 0.
 */
export function portOf(value: unknown): number {
  return Number(/^\d{1,5}(?!\d)/.exec(String(value ?? ''))?.[0] ?? 0);
}

/**
 * Returns the largest of some player counts, ignoring counts that are undefined. Returns undefined if all counts are
 * undefined.
 */
export function largestOf(...counts: readonly (number | undefined)[]): number | undefined {
  const told = counts.filter(each => each !== undefined);
  return told.length > 0 ? Math.max(...told) : undefined;
}

/**
 * Returns an object with the player counts that are known. A count that the public server list does not report is
 * omitted: it is unknown and not 0.
 */
export function toldCounts(
  players: number | undefined,
  maxplayers: number | undefined,
): Pick<RawStatus, 'players' | 'maxplayers'> {
  return { ...(players !== undefined && { players }), ...(maxplayers !== undefined && { maxplayers }) };
}

/** Joins the parts of a version number with dots. Stops before the first part that is absent or empty. */
export function dotted(...parts: readonly unknown[]): string {
  const isPart = (part: unknown) => (typeof part === 'string' && part !== '') || typeof part === 'number';
  const end = parts.findIndex(part => !isPart(part));
  return (end < 0 ? parts : parts.slice(0, end)).join('.');
}

/** Converts a list of player names into the entries of the player list in a status. */
export function namedPlayers(names: readonly unknown[]): RawPlayer[] {
  return names.slice(0, MAX_PLAYERS).map(name => ({ name: typeof name === 'string' ? name : '' }));
}
