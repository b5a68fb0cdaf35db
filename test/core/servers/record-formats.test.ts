import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { checkRecord, encodeRecord } from '../../../core/servers/record-codec.ts';
import { upgradeRecord } from '../../../core/servers/record-upgrade.ts';
import { known, written } from './known-record.ts';

describe('a server record of the current format', () => {
  test('is encoded in the documented byte layout', () => {
    const data = known.data.toString('hex');
    const bytes = encodeRecord(known);
    assert.equal(
      bytes.toString('hex'),
      written('04', bytes.toString('hex', 4, 8), ['31', 'b4', '80'], data, ['04', '01020304']),
    );
    checkRecord(known.key, bytes);
  });

  test('is returned unchanged by upgradeRecord', () => {
    const bytes = encodeRecord(known);
    const before = Buffer.from(bytes);
    assert.equal(upgradeRecord(known.key, bytes), bytes);
    assert.deepEqual(bytes, before);
  });
});
