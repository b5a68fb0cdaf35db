import { gsqV1 } from '../descriptors.ts';
import type { ServerPayload } from '../generated/gsq/v1/ServerPayload.ts';
import { type PayloadField, playerFields, propertyOf, storedFields } from '../payload-fields.ts';
import { ByteWriter } from './byte-writer.ts';
import { writePayload } from './payload.generated.ts';
import { LEN, VARINT, type WireReader } from './wire-reader.ts';

const writer = new ByteWriter();

/**
 * Returns a stored payload as an object in proto3's JSON mapping. The object has no `updated`, and no counts that the
 * server did not report. Takes 20 times as long as PayloadReader, so use it rarely.
 */
export function payloadObject(bytes: Buffer): ServerPayload {
  const message: Record<string, unknown> = { ...gsqV1.ServerPayload.deserialize(bytes) };
  const told = storedFields.map(propertyOf).filter(property => message[property] !== undefined);
  return Object.fromEntries(told.map(property => [property, message[property]]));
}

/**
 * Decodes a payload in any valid encoding. Skips unknown fields and the field `updated`. If a single-valued field is
 * repeated, the last value counts. Throws WireError if the payload or its UTF-8 text is malformed.
 */
export function decodePayload(reader: WireReader): object {
  return readFields(reader, storedFields);
}

function readFields(reader: WireReader, fields: readonly PayloadField[]): Record<string, unknown> {
  const message: Record<string, unknown> = {};
  while (reader.next()) {
    const field = fields.find(({ number }) => number === reader.field);
    if (!field) continue;
    const property = propertyOf(field);
    if (reader.type === VARINT && field.type === 'uint32') message[property] = reader.uint32;
    else if (reader.type === VARINT && field.type === 'int32') message[property] = reader.int32;
    else if (reader.type === VARINT && field.type === 'bool') message[property] = reader.value !== 0;
    else if (reader.type === LEN && field.type === 'string') message[property] = reader.text();
    else if (reader.type === LEN && field.type === 'players') {
      const outerEnd = reader.enter();
      message[property] ??= [];
      (message[property] as unknown[]).push(readFields(reader, playerFields));
      reader.leave(outerEnd);
    }
  }
  return message;
}

/**
 * Encodes a payload object in canonical form. Fields can be absent. Throws RangeError if a field has the wrong type.
 */
export function encodePayload(value: object): Buffer {
  writePayload(writer, checked(value, storedFields));
  return writer.takeBytes();
}

/**
 * Returns a copy of a payload or player, without unknown fields and fields without a value. Throws RangeError if a
 * field has the wrong type.
 */
function checked(value: object, fields: readonly PayloadField[]): ServerPayload {
  const told: [string, unknown][] = [];
  for (const field of fields) {
    const property = propertyOf(field);
    const one: unknown = (value as Record<string, unknown>)[property];
    if (one !== undefined) told.push([property, checkedValue(one, field)]);
  }
  return Object.fromEntries(told);
}

function checkedValue(value: unknown, field: PayloadField): unknown {
  if (field.type === 'players' && Array.isArray(value))
    return value.map((player: unknown) => checked(isObject(player) ? player : fault(field), playerFields));
  const fits =
    (field.type === 'string' && typeof value === 'string') ||
    (field.type === 'bool' && typeof value === 'boolean') ||
    (field.type === 'uint32' && value === Number(value) >>> 0) ||
    (field.type === 'int32' && value === (Number(value) | 0));
  return fits ? value : fault(field);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function fault({ name, type }: PayloadField): never {
  throw new RangeError(`"${name}" of a payload is no ${type}`);
}
