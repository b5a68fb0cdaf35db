import { isUtf8 } from 'node:buffer';
import { ServiceError } from '../../proto/service-error.ts';
import { jsonErrorPosition } from '../../runtime/json-position.ts';

const BYTE_ORDER_MARK = 0xfeff;

/**
 * Parses the JSON body of a request. `expected` describes the body in error messages, such as `JSON like {"id":"..."}`.
 * Throws POST_2 if the bytes are not JSON in UTF-8.
 */
export function parseJson(bytes: Buffer, expected: string): unknown {
  const notJson = (fault: string): ServiceError =>
    new ServiceError('POST_2', `The body must be ${expected}: it ${fault}.`, {
      violations: [{ path: '', message: fault }],
    });
  // Refuses bytes that are not UTF-8. Decoding would replace them by other characters, so that the caller would get
  // back other server addresses than it sent.
  if (!isUtf8(bytes)) throw notJson('is not UTF-8 text');
  const whole = bytes.toString('utf8');
  const text = whole.charCodeAt(0) === BYTE_ORDER_MARK ? whole.slice(1) : whole;
  try {
    return JSON.parse(text);
  } catch {
    if (text.trim() === '') throw notJson('is empty');
    const { line, column } = jsonErrorPosition(text);
    throw notJson(`has an error at line ${line}, column ${column}`);
  }
}

/** Returns the text of an error message for a JSON value that is missing or has a wrong type. */
export function mustBe(what: string, value: unknown): string {
  return value === undefined ? `is missing; it must be ${what}` : `must be ${what}, not ${kindOf(value)}`;
}

/** Returns the type of a JSON value for an error message, such as "a number" or "an array". */
export function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** True if a JSON value is an object. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
