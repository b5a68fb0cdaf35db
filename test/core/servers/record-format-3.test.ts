import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { checkRecord, decodeRecord, encodeRecord } from '../../../core/servers/record-codec.ts';
import { upgradeRecord } from '../../../core/servers/record-upgrade.ts';
import { known, knownWithoutHour, written } from './known-record.ts';
import { inMemory } from './stored-record.ts';

describe('a record of format 3, from release 0.2.0', () => {
  const stored = (): Buffer =>
    Buffer.from(written('03', '7af2bccd', ['31', 'b4', '80'], known.data.toString('hex')), 'hex');

  test('is accepted, and its upgrade adds an empty field `openHour`', () => {
    const bytes = stored();
    checkRecord(known.key, bytes);
    const record = decodeRecord(known.gameId, inMemory(known.address, upgradeRecord(known.key, bytes)));
    assert.deepEqual(record, knownWithoutHour);
    const rewritten = encodeRecord(record);
    checkRecord(known.key, rewritten);
    assert.equal(rewritten[0], 4);
    assert.equal(rewritten.length, bytes.length + 1);
  });

  test('is refused if one of its bytes is wrong', () => {
    for (let i = 0; i < stored().length; i++) {
      const bytes = stored();
      bytes[i] = (bytes[i] ?? 0) ^ 0x40;
      assert.throws(() => checkRecord(known.key, bytes), { name: 'CorruptRecordError' }, `byte ${i}`);
    }
  });
});
