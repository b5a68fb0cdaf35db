import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { createFileRegistry, type DescField, type DescMessage, fromBinary } from '@bufbuild/protobuf';
import { type ReflectMessage, reflect } from '@bufbuild/protobuf/reflect';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { payloadObject } from '../../../../proto/codec/payload-object.ts';
import type { ReportedPayload } from '../../../../proto/codec/reported-payload.ts';
import { WireError } from '../../../../proto/codec/wire-reader.ts';
import { descriptorImage } from '../../../../proto/descriptors.ts';
import {
  decodeFetchServersRequest,
  decodeFetchStreamRequest,
  decodeFetchStreamResponse,
} from '../../../../proto/generated/codec/fetch.ts';
import { decodeSessionRequest, decodeSessionResponse } from '../../../../proto/generated/codec/probe.ts';
import { fieldForms } from '../../../../scripts/codecs/plan.ts';
import { codecSources } from '../../../../scripts/codecs/sources.ts';
import { randomNumbers } from '../../../system/random-numbers.ts';
import { lengthDelimited, RandomWire, tagged, varint } from './random-wire.ts';

const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, descriptorImage));
const typeOf = (name: string): DescMessage => {
  const type = registry.getMessage(`gsq.v1.${name}`);
  assert.ok(type);
  return type;
};
const decoders: [type: DescMessage, decode: (bytes: Buffer) => object][] = [
  [typeOf('FetchServersRequest'), decodeFetchServersRequest],
  [typeOf('FetchStreamRequest'), decodeFetchStreamRequest],
  [typeOf('FetchStreamResponse'), decodeFetchStreamResponse],
  [typeOf('SessionRequest'), decodeSessionRequest],
  [typeOf('SessionResponse'), decodeSessionResponse],
];

const formOf = (field: DescField) => fieldForms[`${field.parent.typeName}.${field.name}`] ?? {};

/** A message of protobuf-es in the shape that the generated code gives it. */
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

/** Counts that are absent are -1; `updated` is not read. */
function expectedPayload(message: ReflectMessage): unknown {
  const fields = message.fields.filter(({ name }) => name !== 'updated');
  return Object.fromEntries(
    fields.map(field => {
      const isAbsent = field.proto.proto3Optional && !message.isSet(field);
      return [field.localName, isAbsent ? -1 : expectedField(message, field)];
    }),
  );
}

/** What the generated code read, with texts and bytes as strings, without the properties that say where they lie. */
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

describe('the generated codecs', () => {
  test('match the .proto files and the plan', () => {
    for (const [file, source] of codecSources(descriptorImage)) {
      const written = readFileSync(
        new URL(`../../../../proto/generated/codec/${file}`, import.meta.url),
        'utf8',
      );
      assert.equal(written, source, `${file} is stale; run npm run proto`);
    }
  });

  for (const [type, decode] of decoders) {
    test(`read every valid form of a ${type.name} as protobuf-es reads it`, () => {
      const wire = new RandomWire(randomNumbers(7));
      for (let round = 0; round < 1000; round++) {
        const bytes = wire.message(type);
        const message = reflect(type, fromBinary(type, bytes));
        assert.deepEqual(actual(type, decode(bytes)), expected(message), bytes.toString('hex'));
      }
    });

    test(`refuse a ${type.name} that is cut or changed with a WireError, or read it`, () => {
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

const lease = (...fields: Buffer[]) =>
  decodeSessionResponse(lengthDelimited(2, lengthDelimited(1, Buffer.concat(fields)))).leases?.leases[0];

test('the last member of a oneof that comes is the one that stays', () => {
  const [welcome, leases] = [
    lengthDelimited(1, lengthDelimited(3, Buffer.from('s'))),
    lengthDelimited(2, Buffer.alloc(0)),
  ];
  const last = decodeSessionResponse(Buffer.concat([welcome, leases]));
  assert.deepEqual(last, { welcome: null, leases: { leases: [] }, ack: null });
  const first = decodeSessionResponse(Buffer.concat([leases, welcome]));
  assert.equal(first.welcome?.session, 's');
  assert.equal(first.leases, null);
});

test('a known field of another wire type is skipped as unknown', () => {
  const read = lease(
    lengthDelimited(1, Buffer.from('x')),
    tagged(2, 0, varint(7n)),
    tagged(4, 5, Buffer.alloc(4)),
  );
  assert.deepEqual([read?.leaseId, read?.gameId, read?.port], [0, '', 0]);
});

test('an enum number that is unknown reads as unspecified', () => {
  for (const number of [15n, 99n, -1n]) {
    const report = lengthDelimited(2, tagged(2, 0, varint(number)));
    const [read] = decodeSessionRequest(lengthDelimited(2, report)).reports?.reports ?? [];
    assert.equal(read?.outcome, 'PROBE_OUTCOME_UNSPECIFIED');
  }
});

test('a text that is not UTF-8 is refused wherever it stands', () => {
  const bad = [
    [0xff],
    [0xc3],
    [0xed, 0xa0, 0x80],
    [0xc0, 0x80],
    [...Buffer.from('a plain text of some length '), 0x80],
    [...Buffer.from('abcd'), 0xe2, 0x98],
  ].map(each => Buffer.from(each));
  const wrapped: [string, (text: Buffer) => unknown][] = [
    ['a text', text => lease(lengthDelimited(3, text))],
    ['an interned text', text => lease(lengthDelimited(2, text))],
    ['an address', text => decodeFetchServersRequest(lengthDelimited(1, lengthDelimited(2, text)))],
    ['an element', text => decodeSessionResponse(lengthDelimited(1, lengthDelimited(1, text)))],
  ];
  for (const [what, decode] of wrapped) {
    for (const text of bad) assert.throws(() => decode(text), WireError, `${what}: ${text.toString('hex')}`);
    for (const text of ['\ufffd', 'né☃😀', `${'x'.repeat(40)}\ufffd`]) decode(Buffer.from(text));
  }
});

test('tags and numbers that protobuf does not have are refused', () => {
  const refused: [RegExp, number[]][] = [
    [/number 0/, [0x00, 0x00]],
    [/number 0/, [0x82, 0x00, 0x00]],
    [/29 bits/, [0x80, 0x80, 0x80, 0x80, 0x10, 0x00]],
    [/ten bytes/, [0x08, ...Array(10).fill(0xff), 0x01]],
    [/ten bytes/, Array(12).fill(0xff)],
    [/cut short/, [0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01]],
    [/wire type 6/, [0x0e]],
    [/wire type 4/, [0x0c]],
    [/did not begin/, [0x0b, 0x14]],
    [/cut short/, [0x0b, 0x08, 0x01]],
    [/deeper than 100/, Array(200).fill(0x7b)],
  ];
  for (const [message, bytes] of refused) {
    for (const [, decode] of decoders) {
      assert.throws(
        () => decode(Buffer.from(bytes)),
        error => error instanceof WireError && message.test(error.message),
        `${bytes}`,
      );
    }
  }
  const deep = Buffer.from([...Array(100).fill(0x7b), ...Array(100).fill(0x7c)]);
  for (const [, decode] of decoders) decode(deep);
});
