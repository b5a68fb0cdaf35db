import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { checkRecord, decodeRecord } from '../../../core/servers/record-codec.ts';
import { upgradeRecord } from '../../../core/servers/record-upgrade.ts';
import { encodePayload, payloadObject } from '../../../proto/codec/payload-object.ts';
import { payloadFields } from '../payload-of.ts';
import { JSON_DATA, known, knownWithoutHour, written } from './known-record.ts';
import { inMemory } from './stored-record.ts';

describe('a server record of the old format 2', () => {
  const stored = (): Buffer => Buffer.from(written('02', 'ef4e9573', ['31', 'b4', '80'], JSON_DATA), 'hex');

  test('is upgraded to protobuf data and an empty field `openHour`', () => {
    const bytes = stored();
    checkRecord(known.key, bytes);
    const upgraded = upgradeRecord(known.key, bytes);
    assert.deepEqual(decodeRecord(known.gameId, inMemory(known.address, upgraded)), knownWithoutHour);
  });

  /**
   * Upgrades a stored server record of the old format 2, which has the server data as JSON text (`data`). Returns the
   * server data after the upgrade, as protobuf.
   */
  function upgradedData(data: string): Buffer {
    const bytes = Buffer.from(
      written('02', '00000000', ['31', 'b4', '80'], Buffer.from(data).toString('hex')),
      'hex',
    );
    const upgraded = upgradeRecord(known.key, bytes);
    return decodeRecord(known.gameId, inMemory(known.address, upgraded)).data;
  }

  test('keeps every field of the server data when it is upgraded', () => {
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

  test('is upgraded without its join address if the join address equals the server address', () => {
    const text = JSON.stringify({ name: 'x', connect: known.address, raw: { players: [] } });
    assert.equal(payloadObject(upgradedData(text.slice(0, -1))).connect, '');
  });

  test('is upgraded to a record without server data if the server never answered', () => {
    assert.equal(upgradedData('').length, 0);
  });

  test('is refused as corrupt if its JSON contains no valid server data', () => {
    for (const data of ['{"name":1', 'x', '{"players":-1', '{"raw":{"players":[7]}']) {
      assert.throws(() => upgradedData(data), {
        name: 'CorruptRecordError',
        message: /\[2001:db8::1\]:27015/,
      });
    }
  });

  test('is upgraded to the bytes that encodePayload() returns for the same server data', () => {
    const text = JSON.stringify({
      name: 'é',
      players: 3,
      raw: { players: [{ name: '', score: 0, time: 0 }] },
    });
    const reported = encodePayload({ name: 'é', players: 3, playerList: [{}] });
    assert.deepEqual(upgradedData(text.slice(0, -1)), reported);
  });
});
