import { MalformedReply } from './protocol.ts';

const WHOLE_NUMBER = /^\d{1,9}$/;

/** The fields of a JSON object, with unchecked values. */
export type Fields = Record<string, unknown>;

/** Returns the fields of a JSON object. Throws MalformedReply if `value` is not an object. */
export function objectField(value: unknown, what: string): Fields {
  if (typeof value !== 'object' || value === null) throw new MalformedReply(`a ${what} that is no object`);
  return value as Fields;
}

/** Returns `value` if it is a string. Throws MalformedReply with `what` in its message if `value` is not a string. */
export function textField(value: unknown, what: string): string {
  if (typeof value !== 'string') throw new MalformedReply(`no text ${what}`);
  return value;
}

/**
 * Returns `value` as a count. Accepts a number or a string of digits, because some servers write counts as strings.
 * Throws MalformedReply if `value` is not a whole number from 0 to 999,999,999.
 */
export function countField(value: unknown, what: string): number {
  const digits = typeof value === 'number' ? String(value) : value;
  if (typeof digits !== 'string' || !WHOLE_NUMBER.test(digits)) throw new MalformedReply(`no number ${what}`);
  return Number(digits);
}

/** Returns `value` as a port that players join at. Throws MalformedReply if it is not a number from 1 to 65535. */
export function portField(value: unknown, what: string): number {
  const port = countField(value, what);
  if (port === 0 || port > 65535) throw new MalformedReply(`no port ${what}`);
  return port;
}
