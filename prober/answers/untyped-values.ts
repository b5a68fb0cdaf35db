/**
 * Reads values of unknown shape: gamedig's results, or JSON from outside. No function here throws; a value of
 * another type reads as absent.
 */

/** Longest text kept of one value, in UTF-16 units. Texts are cut further before they are shown. */
const MAX_TEXT = 4096;
/** A larger count of players or slots is taken for garbage. */
const MAX_COUNT = 1_000_000;

/** Returns an own property of a value; undefined if the value has none of this name. */
export function field(object: unknown, key: string): unknown {
  if (typeof object !== 'object' || object === null || !Object.hasOwn(object, key)) return undefined;
  return Reflect.get(object, key);
}

/** Returns a property as text; empty if it is not a string. */
export function text(object: unknown, key: string): string {
  const value = field(object, key);
  return typeof value === 'string' ? value.slice(0, MAX_TEXT) : '';
}

/** Returns a property as an array; empty if it is not an array. */
export function list(object: unknown, key: string): unknown[] {
  const value = field(object, key);
  return Array.isArray(value) ? value : [];
}

/** Reads a finite number, also one written as decimal digits; undefined for anything else. */
export function number(value: unknown): number | undefined {
  if (typeof value === 'string' && /^-?\d{1,15}(\.\d+)?$/.test(value)) return Number(value);
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** Reads a count from 0 up. Undefined if the property is absent or null, NaN if it is not a count. */
export function count(object: unknown, key: string): number | undefined {
  const found = field(object, key);
  if (found === undefined || found === null) return undefined;
  const parsed = number(found);
  return parsed !== undefined && parsed >= 0 && parsed <= MAX_COUNT ? parsed : Number.NaN;
}

/**
 * Reads a boolean of any form: true, a number other than 0, or a text other than "", "0", "false" and "no".
 */
export function truth(value: unknown): boolean {
  if (typeof value === 'string') return !['', '0', 'false', 'no'].includes(value.toLowerCase());
  return value === true || (typeof value === 'number' && value !== 0);
}
