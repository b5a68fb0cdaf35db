import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WireError } from '../../../../proto/codec/wire-reader.ts';
import { decodeFetchServersRequest } from '../../../../proto/generated/codec/fetch.ts';
import { decodeSessionRequest, decodeSessionResponse } from '../../../../proto/generated/codec/probe.ts';
import { decoders } from './decoders.ts';
import { lengthDelimited, tagged, varint } from './random-wire.ts';

const lease = (...fields: Buffer[]) =>
  decodeSessionResponse(lengthDelimited(2, lengthDelimited(1, Buffer.concat(fields)))).leases?.leases[0];

test('a generated decoder keeps the last member of a oneof that contains several members', () => {
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

test('a generated decoder skips a known field that has the wrong wire type', () => {
  const read = lease(
    lengthDelimited(1, Buffer.from('x')),
    tagged(2, 0, varint(7n)),
    tagged(4, 5, Buffer.alloc(4)),
  );
  assert.deepEqual([read?.leaseId, read?.gameId, read?.port], [0, '', 0]);
});

test('a generated decoder reads an unknown enum number as UNSPECIFIED', () => {
  for (const number of [15n, 99n, -1n]) {
    const report = lengthDelimited(2, tagged(2, 0, varint(number)));
    const [read] = decodeSessionRequest(lengthDelimited(2, report)).reports?.reports ?? [];
    assert.equal(read?.outcome, 'PROBE_OUTCOME_UNSPECIFIED');
  }
});

test('a generated decoder refuses strings that are not valid UTF-8, in every kind of string field', () => {
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

test('a generated decoder refuses invalid tags, invalid varints and unbalanced groups', () => {
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
