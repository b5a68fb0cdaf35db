import { type DescField, type DescMessage, fromJson, ScalarType } from '@bufbuild/protobuf';
import { type Timestamp, TimestampSchema } from '@bufbuild/protobuf/wkt';
import type { FieldViolation } from '../../proto/service-error.ts';
import { isObject, mustBe } from '../http/json-text.ts';

/** Maximum number of wrong fields of a request that one error lists. */
export const MAX_VIOLATIONS = 20;
const MAX_UINT32 = 2 ** 32 - 1;
const WHOLE_NUMBER = `a whole number from 0 to ${MAX_UINT32}`;
const TIME = 'a time such as 2026-11-24T18:00:00Z';

/**
 * Error for a value that a field of a request message cannot have. `message` completes a sentence that begins with the
 * name of the field.
 */
class WrongValue extends Error {
  override name = 'WrongValue';
}

/**
 * True if a query parameter can set this field of a request message. Such a field is a text, a whole number, a boolean,
 * a time, or a list of these.
 */
export function isParameter(field: DescField): boolean {
  return readerOf(field) !== undefined;
}

/**
 * Converts the texts of a query parameter to the value of a message field, in the form that the library protobuf-es
 * uses. If a text is wrong, adds the fault to `violations` and returns undefined.
 */
export function fromTexts(field: DescField, texts: readonly string[], violations: FieldViolation[]): unknown {
  const read = readerOf(field);
  if (!read) throw new Error(`${field.name} is no query parameter`);
  try {
    const values = texts.map(text => read(text));
    if (field.fieldKind === 'list') return values;
    if (values.length > 1) throw new WrongValue('occurs more than once');
    return values[0];
  } catch (error) {
    if (!(error instanceof WrongValue)) throw error;
    violations.push({ path: field.name, message: error.message });
    return undefined;
  }
}

type Read = (text: string) => unknown;

function readerOf(field: DescField): Read | undefined {
  const scalar =
    field.fieldKind === 'scalar' || (field.fieldKind === 'list' && field.listKind === 'scalar')
      ? field.scalar
      : undefined;
  if (scalar === ScalarType.STRING) return text => text;
  if (scalar === ScalarType.BOOL) return readBool;
  if (scalar === ScalarType.UINT32) return readUint32;
  return field.fieldKind === 'message' && isTime(field.message) ? readTime : undefined;
}

function readBool(text: string): boolean {
  if (text !== 'true' && text !== 'false') throw new WrongValue('must be true or false');
  return text === 'true';
}

function readUint32(text: string): number {
  if (!/^\d{1,10}$/.test(text) || Number(text) > MAX_UINT32) throw new WrongValue(`must be ${WHOLE_NUMBER}`);
  return Number(text);
}

function readTime(text: string): Timestamp {
  try {
    return fromJson(TimestampSchema, text);
  } catch {
    throw new WrongValue(`must be ${TIME}; in a URL, write %2B for a plus sign`);
  }
}

function isTime({ typeName }: DescMessage): boolean {
  return typeName === TimestampSchema.typeName;
}

/**
 * Converts a JSON object to the fields of a message. The result has the field names of protobuf-es. `path`: path of the
 * object in the body. `isAllowed`: false for a field that the body must not set. Adds at most MAX_VIOLATIONS faults to
 * `violations`.
 */
export function fromObject(
  message: DescMessage,
  value: unknown,
  path: string,
  violations: FieldViolation[],
  isAllowed: (field: DescField) => boolean = () => true,
): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  if (!isObject(value)) {
    violations.push({ path, message: mustBe('an object', value) });
    return fields;
  }
  const prefix = path === '' ? '' : `${path}.`;
  for (const [key, member] of Object.entries(value)) {
    if (violations.length >= MAX_VIOLATIONS) return fields;
    const field = message.fields.find(({ name }) => name === key);
    if (field && isAllowed(field)) {
      fields[field.localName] = fromMember(field, member, prefix + key, violations);
    } else {
      const names = message.fields.filter(isAllowed).map(({ name }) => name);
      // The error for an unknown key contains only the beginning of the key, because a key can be as long as the whole
      // body.
      const known = names.length === 0 ? 'the object must be empty' : `known are ${names.join(', ')}`;
      violations.push({ path: prefix + key.slice(0, 64), message: `is not known here; ${known}` });
    }
  }
  return fields;
}

function fromMember(field: DescField, value: unknown, path: string, violations: FieldViolation[]): unknown {
  if (field.fieldKind !== 'list') return fromValue(field, value, path, violations);
  if (!Array.isArray(value)) {
    violations.push({ path, message: mustBe('an array', value) });
    return [];
  }
  const values: unknown[] = [];
  for (let i = 0; i < value.length && violations.length < MAX_VIOLATIONS; i++) {
    values.push(fromValue(field, value[i], `${path}[${i}]`, violations));
  }
  return values;
}

function fromValue(field: DescField, value: unknown, path: string, violations: FieldViolation[]): unknown {
  const wrong = (what: string): void => void violations.push({ path, message: mustBe(what, value) });
  if (field.message) {
    if (!isTime(field.message)) return fromObject(field.message, value, path, violations);
    try {
      if (typeof value === 'string') return readTime(value);
    } catch (error) {
      if (!(error instanceof WrongValue)) throw error;
    }
    return wrong(TIME);
  }
  if (field.scalar === ScalarType.BOOL) return typeof value === 'boolean' ? value : wrong('true or false');
  if (field.scalar === ScalarType.UINT32) return isUint32(value) ? value : wrong(WHOLE_NUMBER);
  if (field.scalar !== ScalarType.STRING)
    throw new Error(`${path}: the body of a request cannot set this type`);
  if (typeof value !== 'string') return wrong('a string');
  if (value.isWellFormed()) return value;
  violations.push({ path, message: 'holds half of a surrogate pair, which is no Unicode text' });
  return undefined;
}

function isUint32(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_UINT32;
}
