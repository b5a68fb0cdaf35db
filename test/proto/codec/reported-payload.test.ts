import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { encodePayload, payloadObject } from '../../../proto/codec/payload-object.ts';
import { ReportedPayload } from '../../../proto/codec/reported-payload.ts';
import { WireError, WireReader } from '../../../proto/codec/wire-reader.ts';
import { gsqV1 } from '../../../proto/descriptors.ts';
import type { ServerPayload } from '../../../proto/generated/gsq/v1/ServerPayload.ts';

const PAYLOAD: ServerPayload = {
  name: 'Jürgen ☃',
  map: 'de_dust2',
  players: 0,
  maxplayers: 16,
  numbots: 300,
  password: true,
  version: '1.0',
  ping: 27,
  connect: '',
  playerList: [
    { name: 'Ann', score: -2, time: 61 },
    { name: '', score: 0, time: 0 },
  ],
};
const CANONICAL = encodePayload(PAYLOAD);

/**
 * Builds a probe report whose server payload is `bytes`. Returns the encoded report, and the payload that gsq reads
 * from it.
 */
function reportedIn(bytes: Buffer): { payload: ReportedPayload; message: Buffer } {
  const length = [(bytes.length & 0x7f) | 0x80, bytes.length >> 7];
  const message = Buffer.concat([Buffer.from([0x08, 1, 0x2a, ...length]), bytes, Buffer.from([0x30, 1])]);
  const reader = new WireReader(message);
  reader.next();
  reader.next();
  return { payload: new ReportedPayload(reader), message };
}
const reported = (bytes: Buffer): ReportedPayload => reportedIn(bytes).payload;
const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex');

describe('a server payload received in canonical form (for example, with sorted fields)', () => {
  test('uses the bytes of the received message without a copy', () => {
    const { payload, message } = reportedIn(CANONICAL);
    assert.equal(payload.bytes, message);
    const data = payload.data();
    assert.deepEqual(data, CANONICAL);
    message.fill(0);
    assert.deepEqual(data, CANONICAL);
  });

  test('has the field values that a standard protobuf decoder (proto-loader) reads', () => {
    const payload = reported(CANONICAL);
    assert.deepEqual([payload.players, payload.maxplayers, payload.ping], [0, 16, 27]);
    assert.equal(payload.isTimed, true);
    const {
      updated: _,
      _players: __,
      _maxplayers: ___,
      ...meant
    } = gsqV1.ServerPayload.deserialize(CANONICAL);
    assert.deepEqual(payloadObject(CANONICAL), meant);
  });

  test('is valid even if it contains no fields', () => {
    const payload = reported(Buffer.alloc(0));
    assert.deepEqual([payload.players, payload.maxplayers, payload.isTimed], [-1, -1, false]);
    assert.equal(payload.data().length, 0);
  });
});

describe('the conversion of a received server payload to canonical form', () => {
  const ann = '5a 05 0a 03 416e6e';
  for (const [what, bytes, canonical] of [
    ['sorts the fields by number', '12 01 62 0a 01 61', '0a 01 61 12 01 62'],
    ['keeps only the last value of a field that occurs twice', '0a 01 61 0a 01 62', '0a 01 62'],
    ['drops a field with its default value', '0a 01 61 12 00 28 00 30 00', '0a 01 61'],
    ['changes the value of a bool to 1 if it is encoded as a number above 1', '30 05', '30 01'],
    ['truncates a uint32 with more than 32 bits', '28 81 80 80 80 10', '28 01'],
    ['drops the field `updated`', '0a 01 61 52 02 08 05', '0a 01 61'],
    ['drops an unknown field', '0a 01 61 fa 01 01 78', '0a 01 61'],
    ['drops an unknown field of a player', '5a 08 0a 03 416e6e 7a 01 78', ann],
    ['sorts the fields of a player by number', '5a 05 18 05 0a 01 61', '5a 05 0a 01 61 18 05'],
    ['moves the player list after the name', `${ann} 0a 01 61`, `0a 01 61 ${ann}`],
  ] as const) {
    test(what, () => {
      assert.deepEqual(reported(hex(bytes)).data(), hex(canonical));
      assert.deepEqual(reported(hex(canonical)).data(), hex(canonical));
    });
  }

  test('finds the ping and the player counts in unsorted fields', () => {
    const payload = reported(hex('40 07 20 05 18 00 5a 02 18 09'));
    assert.deepEqual([payload.ping, payload.maxplayers, payload.players, payload.isTimed], [7, 5, 0, true]);
  });
});

describe('a received server payload with invalid UTF-8', () => {
  for (const broken of ['c3', 'fffe', 'e298', 'eda080', '61626364 c3 65']) {
    const text = hex(broken);
    for (const tag of [0x0a, 0x12, 0x3a, 0x4a]) {
      test(`is refused if field ${tag >> 3} contains the bytes ${broken}`, () => {
        const field = Buffer.concat([Buffer.from([tag, text.length]), text]);
        assert.throws(() => reported(field), WireError);
        assert.throws(() => reported(Buffer.concat([field, hex('0a 01 61')])), WireError);
      });
    }
    test(`is refused if the name of a player contains the bytes ${broken}`, () => {
      const player = Buffer.concat([Buffer.from([0x0a, text.length]), text]);
      const list = Buffer.concat([Buffer.from([0x5a, player.length]), player]);
      assert.throws(() => reported(list), WireError);
    });
  }
});

test('gsq refuses each truncated server payload that a standard protobuf decoder (proto-loader) refuses', () => {
  for (let end = 0; end < CANONICAL.length; end++) {
    const cut = CANONICAL.subarray(0, end);
    let whole = true;
    try {
      gsqV1.ServerPayload.deserialize(cut);
    } catch {
      whole = false;
    }
    if (!whole) assert.throws(() => reported(cut), Error, `${end} bytes`);
  }
});

test('fillInCounts() sets absent player counts of a payload to 0, and does not change player counts that are present', () => {
  const { players: _, maxplayers: __, ...uncounted } = PAYLOAD;
  const payload = reported(encodePayload(uncounted));
  payload.fillInCounts();
  assert.deepEqual(payload.data(), encodePayload({ ...uncounted, players: 0, maxplayers: 0 }));
  const counted = reportedIn(CANONICAL);
  counted.payload.fillInCounts();
  assert.equal(counted.payload.bytes, counted.message);
});

test('encodePayload() throws RangeError if a field of the payload object has the wrong type', () => {
  for (const value of [
    { name: 1 },
    { players: -1 },
    { players: 2 ** 32 },
    { numbots: 1.5 },
    { numbots: '1' },
    { password: 1 },
    { playerList: {} },
    { playerList: [null] },
    { playerList: [{ score: 2 ** 31 }] },
  ]) {
    assert.throws(() => encodePayload(value), RangeError, JSON.stringify(value));
  }
});
