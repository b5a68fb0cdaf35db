import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  CorruptRecordError,
  checkRecord,
  decodeRecord,
  encodeRecord,
} from '../../../core/servers/record-codec.ts';
import { reasonAt } from '../../../core/servers/record-pointer.ts';
import { upgradeRecord } from '../../../core/servers/record-upgrade.ts';
import { noHistory } from '../../../core/servers/server-record.ts';
import { JSON_DATA, known, knownWithoutHour, written } from './known-record.ts';
import { inMemory } from './stored-record.ts';

describe('a server record of format 1, from release 0.1.0', () => {
  // In format 1, the bytes 12 and 13 contain history fields that later formats do not have. The test record has values
  // there, to show that an upgrade removes them.
  const stored = (): Buffer => Buffer.from(written('01', '684263ff', ['ba', '07', '00'], JSON_DATA), 'hex');

  test('is upgraded to the current format, without the history fields that only format 1 has', () => {
    const bytes = stored();
    checkRecord(known.key, bytes);
    const record = decodeRecord(known.gameId, inMemory(known.address, upgradeRecord(known.key, bytes)));
    assert.deepEqual(record, { ...knownWithoutHour, history: noHistory });
    const written = encodeRecord(record);
    checkRecord(record.key, written);
    assert.equal(written[0], 4);
    assert.deepEqual(decodeRecord(record.gameId, inMemory(record.address, written)), record);
  });

  test('keeps the counters `clean`, `emptyTicks` and `sameTicks` when it is upgraded', () => {
    const bytes = stored();
    bytes[1] = (bytes[1] ?? 0) | (5 << 2) | (6 << 5);
    bytes[2] = (bytes[2] ?? 0) | (30 << 3);
    const upgraded = upgradeRecord(known.key, bytes);
    const { status, label, history } = decodeRecord(known.gameId, inMemory(known.address, upgraded));
    assert.deepEqual([status, label], ['offline', 'filtered']);
    assert.deepEqual(history, { ...noHistory, clean: 5, emptyTicks: 6, sameTicks: 30 });
  });

  test('has the reason `unprobed` after the upgrade if the server was never probed', () => {
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
});
