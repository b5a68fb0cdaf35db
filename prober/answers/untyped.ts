/**
 * Reads values of unknown shape: what gamedig made of a reply, or JSON from outside. Nothing here throws; what is not
 * of the wanted type reads as absent.
 */

/** Longest text that is kept of one value, in UTF-16 units; what is shown is cut to less later. */
const MAX_TEXT = 4096;
/** Largest count of players or places that is believed. */
const MAX_COUNT = 1_000_000;

/** An own property; undefined where there is none. */
export function field(object: unknown, key: string): unknown {
  if (typeof object !== 'object' || object === null || !Object.hasOwn(object, key)) return undefined;
  return Reflect.get(object, key);
}

/** A text; empty where the property is none. */
export function text(object: unknown, key: string): string {
  const value = field(object, key);
  return typeof value === 'string' ? value.slice(0, MAX_TEXT) : '';
}

/** An array; empty where the property is none. */
export function list(object: unknown, key: string): unknown[] {
  const value = field(object, key);
  return Array.isArray(value) ? value : [];
}

/** A finite number, also one that is written as decimal digits. */
export function number(value: unknown): number | undefined {
  if (typeof value === 'string' && /^-?\d{1,15}(\.\d+)?$/.test(value)) return Number(value);
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** A count from 0 up; undefined if the property is absent or null, NaN if it is no count. */
export function count(object: unknown, key: string): number | undefined {
  const found = field(object, key);
  if (found === undefined || found === null) return undefined;
  const parsed = number(found);
  return parsed !== undefined && parsed >= 0 && parsed <= MAX_COUNT ? parsed : Number.NaN;
}

/** Whether a value means yes: true, a number other than 0, or a text that says neither no nor nothing. */
export function truth(value: unknown): boolean {
  if (typeof value === 'string') return !['', '0', 'false', 'no'].includes(value.toLowerCase());
  return value === true || (typeof value === 'number' && value !== 0);
}
