import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CorruptRecordError, checkRecord, encodeRecord } from '../../../core/servers/record-codec.ts';
import { online } from './sample-records.ts';

describe('codec of server records', () => {
  test('a record with missing or additional bytes is refused', () => {
    const bytes = encodeRecord(online);
    for (let length = 0; length < bytes.length; length++) {
      assert.throws(
        () => checkRecord(online.key, bytes.subarray(0, length)),
        CorruptRecordError,
        `${length} bytes`,
      );
    }
    assert.throws(() => checkRecord(online.key, Buffer.concat([bytes, Buffer.alloc(1)])), CorruptRecordError);
  });

  test('a record with one flipped bit is refused', () => {
    const bytes = encodeRecord(online);
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const flipped = Buffer.from(bytes);
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      assert.throws(
        () => checkRecord(online.key, flipped),
        CorruptRecordError,
        `bit ${bit & 7} of byte ${bit >> 3}`,
      );
    }
  });

  test('a record with an invalid key or an unknown format is refused, and the error contains the key', () => {
    const bytes = encodeRecord(online);
    for (const key of ['', 'csgo', ' 1.2.3.4:1', `csgo ${'a'.repeat(1020)}`]) {
      assert.throws(() => checkRecord(key, bytes), {
        name: 'CorruptRecordError',
        message: `the stored record of "${key}" has an unknown format (the newest format of this release is 4)`,
      });
    }
    const later = Buffer.from(bytes);
    for (const format of [0, 5]) {
      later[0] = format;
      assert.throws(
        () => checkRecord(online.key, later),
        /"csgo \[2001:db8::1\]:27015" has an unknown format \(the newest format of this release is 4\)$/,
      );
    }
  });
});
