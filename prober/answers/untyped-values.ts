/**
 * Reads values of unknown type: results of gamedig, and JSON from other services. No function in this file throws. A
 * property whose value has an unexpected type counts as absent, unless the comment of the function says something else.
 */

/** Maximum length of a string property of an untyped value, in UTF-16 units. A longer string is truncated. */
const MAX_TEXT = 4096;
/** Maximum plausible number of players. A larger number is treated as garbage. */
const MAX_COUNT = 1_000_000;

/**
 * Returns the own property `key` of an object. Returns undefined if the value is not an object or has no such property.
 */
export function field(object: unknown, key: string): unknown {
  if (typeof object !== 'object' || object === null || !Object.hasOwn(object, key)) return undefined;
  return Reflect.get(object, key);
}

/** Returns a property of an untyped object as a string. Returns an empty string if the property is not a string. */
export function text(object: unknown, key: string): string {
  const value = field(object, key);
  return typeof value === 'string' ? value.slice(0, MAX_TEXT) : '';
}

/** Returns a property of an untyped object as an array. Returns an empty array if the property is not an array. */
export function list(object: unknown, key: string): unknown[] {
  const value = field(object, key);
  return Array.isArray(value) ? value : [];
}

/** Reads a finite number, or a string that contains a decimal number. Returns undefined for any other value. */
export function number(value: unknown): number | undefined {
  if (typeof value === 'string' && /^-?\d{1,15}(\.\d+)?$/.test(value)) return Number(value);
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/**
 * Reads a property of an untyped object as a count, such as a number of players. Returns undefined if the property is
 * absent or null. Returns NaN if the value is not a number from 0 to `MAX_COUNT`.
 */
export function count(object: unknown, key: string): number | undefined {
  const found = field(object, key);
  if (found === undefined || found === null) return undefined;
  const parsed = number(found);
  return parsed !== undefined && parsed >= 0 && parsed <= MAX_COUNT ? parsed : Number.NaN;
}

/**
 * Reads a boolean that can be written in several ways. Returns true for `true`, for a number other than 0, and for a
 * text other than "", "0", "false" and "no".
 */
export function truth(value: unknown): boolean {
  if (typeof value === 'string') return !['', '0', 'false', 'no'].includes(value.toLowerCase());
  return value === true || (typeof value === 'number' && value !== 0);
}
