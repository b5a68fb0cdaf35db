import type { RawPlayer } from '../protocols/protocol.ts';
import { count, field, number } from '../untyped.ts';

const MAX_PLAYERS = 255;

/** A body as JSON. Throws where it is none. */
export function readJson(body: Buffer): unknown {
  return JSON.parse(new TextDecoder().decode(body));
}

/** Throws where a value is no array. */
export function arrayOf(value: unknown): unknown[] {
  if (!Array.isArray(value)) throw new TypeError('not an array');
  return value;
}

/** A count that is absent or a number from 0 up. Throws on anything else. */
export function countOf(object: unknown, key: string): number {
  const found = count(object, key);
  if (found === undefined) throw new TypeError(`${key} is no count`);
  return found;
}

/** A count that has to be there. Throws if it is absent or is no number from 0 up. */
export function neededCountOf(object: unknown, key: string): number {
  const value = field(object, key);
  if (value === undefined || value === null) throw new TypeError(`no ${key}`);
  return countOf(object, key);
}

/** The digits at the start of a text as a count, as directories write theirs; 0 where there are none. */
export function leadingCount(value: unknown): number {
  return number(/^\d{1,6}/.exec(String(value ?? ''))?.[0]) ?? 0;
}

/** Players of whom only the names are told. */
export function namedPlayers(names: readonly unknown[]): RawPlayer[] {
  return names.slice(0, MAX_PLAYERS).map(name => ({ name: typeof name === 'string' ? name : '' }));
}
