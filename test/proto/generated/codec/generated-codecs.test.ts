import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { type DescField, type DescMessage, fromBinary } from '@bufbuild/protobuf';
import { type ReflectMessage, reflect } from '@bufbuild/protobuf/reflect';
import { payloadObject } from '../../../../proto/codec/payload-object.ts';
import type { ReportedPayload } from '../../../../proto/codec/reported-payload.ts';
import { WireError } from '../../../../proto/codec/wire-reader.ts';
import { descriptorImage } from '../../../../proto/descriptors.ts';
import { fieldForms } from '../../../../scripts/codecs/plan.ts';
import { codecSources } from '../../../../scripts/codecs/sources.ts';
import { randomNumbers } from '../../../system/random-numbers.ts';
import { decoders } from './decoders.ts';
import { RandomWire } from './random-wire.ts';

const formOf = (field: DescField) => fieldForms[`${field.parent.typeName}.${field.name}`] ?? {};

/** Converts a message of protobuf-es to the form in which the generated decoders return it. */
function expected(message: ReflectMessage): unknown {
  if (message.desc.typeName === 'gsq.v1.ServerPayload') return expectedPayload(message);
  return Object.fromEntries(
    message.fields.map(field => [formOf(field).property ?? field.localName, expectedField(message, field)]),
  );
}

function expectedField(message: ReflectMessage, field: DescField): unknown {
  if (field.fieldKind === 'list') {
    const list: unknown[] = [...message.get(field)];
    return field.message ? list.map(each => expected(each as ReflectMessage)) : list;
  }
  if (field.fieldKind === 'message') return message.isSet(field) ? expected(message.get(field)) : null;
  if (field.fieldKind === 'enum') return field.enum.value[message.get(field)]?.name;
  assert.equal(field.fieldKind, 'scalar');
  const value = message.get(field as DescField & { fieldKind: 'scalar' });
  if (value instanceof Uint8Array)
    return Buffer.from(value).toString(formOf(field).read === 'base64url' ? 'base64url' : 'utf8');
  return typeof value === 'bigint' ? Number(value) : value;
}

/**
 * Converts a ServerPayload. An absent player count becomes -1. The field `updated` is left out, because no decoder
 * reads it.
 */
function expectedPayload(message: ReflectMessage): unknown {
  const fields = message.fields.filter(({ name }) => name !== 'updated');
  return Object.fromEntries(
    fields.map(field => {
      const isAbsent = field.proto.proto3Optional && !message.isSet(field);
      return [field.localName, isAbsent ? -1 : expectedField(message, field)];
    }),
  );
}

/**
 * Converts the result of a generated decoder to the form that `expected` returns: strings and bytes become strings, and
 * positions in the buffer become the strings at these positions.
 */
function actual(type: DescMessage, read: object): unknown {
  const values = read as Record<string, unknown>;
  return Object.fromEntries(
    type.fields.map(field => {
      const { property = field.localName, read: form } = formOf(field);
      assert.ok(property in values, `${type.typeName} has no ${property}`);
      const value = values[property];
      if (form === 'offsets') return [property, textsAt(values.bytes as Buffer, value as number[])];
      if (form === 'reported') return [property, value && actualPayload(value as ReportedPayload)];
      if (Buffer.isBuffer(value)) return [property, value.toString()];
      const { message } = field;
      if (!message || value === null) return [property, value];
      return [
        property,
        Array.isArray(value) ? value.map(each => actual(message, each)) : actual(message, value as object),
      ];
    }),
  );
}

function textsAt(bytes: Buffer, spans: readonly number[]): string[] {
  return Array.from({ length: spans.length / 2 }, (_, i) =>
    bytes.toString('utf8', spans[2 * i], spans[2 * i + 1]),
  );
}

function actualPayload(payload: ReportedPayload): unknown {
  return { players: -1, maxplayers: -1, ...payloadObject(payload.data()) };
}

describe('a generated codec', () => {
  test('is identical in proto/generated/codec and in the current output of the generator', () => {
    for (const [file, source] of codecSources(descriptorImage)) {
      const written = readFileSync(
        new URL(`../../../../proto/generated/codec/${file}`, import.meta.url),
        'utf8',
      );
      assert.equal(written, source, `${file} is stale; run npm run proto`);
    }
  });

  for (const [type, decode] of decoders) {
    test(`decodes unusual but valid encodings of ${type.name} to the same values as protobuf-es`, () => {
      const wire = new RandomWire(randomNumbers(7));
      for (let round = 0; round < 1000; round++) {
        const bytes = wire.message(type);
        const message = reflect(type, fromBinary(type, bytes));
        assert.deepEqual(actual(type, decode(bytes)), expected(message), bytes.toString('hex'));
      }
    });

    test(`either reads a truncated or damaged ${type.name}, or throws a WireError`, () => {
      const below = randomNumbers(11);
      const wire = new RandomWire(below);
      let refused = 0;
      const read = (bytes: Buffer): void => {
        try {
          decode(bytes);
        } catch (error) {
          assert.ok(error instanceof WireError, String(error));
          refused++;
        }
      };
      for (let round = 0; round < 2000; round++) {
        const bytes = wire.message(type);
        if (bytes.length === 0) continue;
        read(bytes.subarray(0, below(bytes.length)));
        bytes[below(bytes.length)] = below(256);
        read(bytes);
      }
      assert.ok(refused > 500, `only ${refused}`);
    });
  }
});
