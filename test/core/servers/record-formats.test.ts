import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  CorruptRecordError,
  checkRecord,
  decodeRecord,
  encodeRecord,
} from '../../../core/servers/record-codec.ts';
import { reasonAt } from '../../../core/servers/record-pointer.ts';
import { newRecord } from '../../../core/servers/record-status.ts';
import { upgradeRecord } from '../../../core/servers/record-upgrade.ts';
import { noHistory, type ServerRecord } from '../../../core/servers/server-record.ts';
import { encodePayload, payloadObject } from '../../../proto/codec/payload-object.ts';
import { payloadFields } from '../payload-of.ts';
import { inMemory } from './stored-record.ts';

const now = Date.UTC(2026, 0, 1);
const pending = newRecord('csgo', '[2001:db8::1]:27015', 'tok_0123456789ab', now, 60_000);

/** A record with a value in every field, including the history. */
const known: ServerRecord = {
  ...pending,
  status: 'offline',
  label: 'filtered',
  intervalMs: 300_000,
  lastProbeAt: now + 120_000,
  lastOnlineAt: now + 0.5,
  nextProbeAt: now + 420_000,
  reason: 'no_reply',
  history: { ...noHistory, answers: 3, limitEvidence: 18, lossShare: 128 / 255 },
  queryPort: 27_016,
  version: 70_000,
  data: Buffer.from('0a03e29883', 'hex'),
};
const JSON_DATA = Buffer.from('{"name":"☃"').toString('hex');

/**
 * Returns the bytes of `known` as hexadecimal text. The format number, the checksum, the bytes 12, 13 and 23, and the
 * data are given by the caller.
 */
function written(
  format: string,
  checksum: string,
  [twelve, thirteen, twentyThree]: [string, string, string],
  data: string,
): string {
  const length = (data.length / 2).toString(16).padStart(2, '0');
  const fields = `${format}020310 ${checksum} e0930400 ${twelve}${thirteen} 8869 70110100 ${length}0000${twentyThree}`;
  const times = '000080aa6db77942 0000ccc76db77942 000880aa6db77942 00000a116eb77942 0000000000000000';
  return `${fields}${times}746f6b5f303132333435363738396162${data}`.replaceAll(' ', '');
}

test('the bytes of an encoded record match the documented format', () => {
  const data = known.data.toString('hex');
  const bytes = encodeRecord(known);
  assert.equal(bytes.toString('hex'), written('03', bytes.toString('hex', 4, 8), ['31', 'b4', '80'], data));
  checkRecord(known.key, bytes);
});

describe('a record of format 2', () => {
  const stored = (): Buffer => Buffer.from(written('02', 'ef4e9573', ['31', 'b4', '80'], JSON_DATA), 'hex');

  test('is accepted, and upgraded to the same record with its data as protobuf instead of JSON', () => {
    const bytes = stored();
    checkRecord(known.key, bytes);
    const upgraded = upgradeRecord(known.key, bytes);
    assert.deepEqual(decodeRecord(known.gameId, inMemory(known.address, upgraded)), known);
  });

  /** Returns the data of a record of format 2 after its upgrade to protobuf. */
  function upgradedData(data: string): Buffer {
    const bytes = encodeRecord({ ...known, data: Buffer.from(data) });
    bytes[0] = 2;
    const upgraded = upgradeRecord(known.key, bytes);
    return decodeRecord(known.gameId, inMemory(known.address, upgraded)).data;
  }

  test('keeps every field of its data in the upgrade', () => {
    const { players: _, maxplayers: __, ...uncounted } = payloadFields();
    const playerList = Array.from({ length: 255 }, (_, i) => ({
      name: `"${i}☃`,
      score: 7 - i,
      time: 2 ** 32 - 1 - i,
    }));
    for (const fields of [
      payloadFields(),
      payloadFields({
        name: '\u0000"\\\u2028é☃🔥',
        map: '',
        version: '\n',
        password: true,
        connect: 'a.example:1',
      }),
      payloadFields({ playerList: [], players: 0, maxplayers: 0, numbots: 0, ping: 0 }),
      payloadFields({ playerList }),
      uncounted,
    ]) {
      const { updated: ___, ...stored } = fields;
      const { playerList: players, connect, numbots, ...rest } = stored;
      const counts = 'players' in fields ? { numplayers: fields.players } : {};
      const shown = { ...rest, ...counts, numbots, connect, updated: '2026-01-01 00:00:00' };
      const text = JSON.stringify({ ...shown, raw: { numbots, players } });
      assert.deepEqual(payloadObject(upgradedData(text.slice(0, -1))), stored);
    }
  });

  test('loses its join address in the upgrade if the join address equals the address of the server', () => {
    const text = JSON.stringify({ name: 'x', connect: known.address, raw: { players: [] } });
    assert.equal(payloadObject(upgradedData(text.slice(0, -1))).connect, '');
  });

  test('has no data after the upgrade if the server never answered', () => {
    assert.equal(upgradedData('').length, 0);
  });

  test('is reported as corrupt in the upgrade if its data has another form', () => {
    for (const data of ['{"name":1', 'x', '{"players":-1', '{"raw":{"players":[7]}']) {
      assert.throws(() => upgradedData(data), {
        name: 'CorruptRecordError',
        message: /\[2001:db8::1\]:27015/,
      });
    }
  });

  test('has the same data after the upgrade as a report of a prober about the same server', () => {
    const text = JSON.stringify({
      name: 'é',
      players: 3,
      raw: { players: [{ name: '', score: 0, time: 0 }] },
    });
    const reported = encodePayload({ name: 'é', players: 3, playerList: [{}] });
    assert.deepEqual(upgradedData(text.slice(0, -1)), reported);
  });
});

describe('a record of format 1, from release 0.1.0', () => {
  // Bytes 12 and 13 had another meaning in format 1: five confirmed failures in a row, and packet loss in three of the
  // last probes.
  const stored = (): Buffer => Buffer.from(written('01', '684263ff', ['ba', '07', '00'], JSON_DATA), 'hex');

  test('is accepted and upgraded to the current format, without the parts of its history that no longer exist', () => {
    const bytes = stored();
    checkRecord(known.key, bytes);
    const record = decodeRecord(known.gameId, inMemory(known.address, upgradeRecord(known.key, bytes)));
    assert.deepEqual(record, { ...known, history: noHistory });
    const written = encodeRecord(record);
    checkRecord(record.key, written);
    assert.equal(written[0], 3);
    assert.deepEqual(decodeRecord(record.gameId, inMemory(record.address, written)), record);
  });

  test('keeps its counts of clean, empty and unchanged answers in the upgrade', () => {
    const bytes = stored();
    bytes[1] = (bytes[1] ?? 0) | (5 << 2) | (6 << 5);
    bytes[2] = (bytes[2] ?? 0) | (30 << 3);
    const upgraded = upgradeRecord(known.key, bytes);
    const { status, label, history } = decodeRecord(known.gameId, inMemory(known.address, upgraded));
    assert.deepEqual([status, label], ['offline', 'filtered']);
    assert.deepEqual(history, { ...noHistory, clean: 5, emptyTicks: 6, sameTicks: 30 });
  });

  test('has the reason unprobed after the upgrade if the server was never probed', () => {
    const bytes = stored();
    bytes.writeDoubleLE(0, 32);
    assert.equal(reasonAt(inMemory(known.address, upgradeRecord(known.key, bytes))), 'unprobed');
  });

  test('is refused if one of its bytes is wrong, because its checksum is verified', () => {
    for (let i = 0; i < stored().length; i++) {
      const bytes = stored();
      bytes[i] = (bytes[i] ?? 0) ^ 0x40;
      assert.throws(() => checkRecord(known.key, bytes), CorruptRecordError, `byte ${i}`);
    }
  });

  test('is converted by upgradeRecord, which returns a record of the current format unchanged', () => {
    const bytes = encodeRecord(known);
    const before = Buffer.from(bytes);
    assert.equal(upgradeRecord(known.key, bytes), bytes);
    assert.deepEqual(bytes, before);
  });
});
