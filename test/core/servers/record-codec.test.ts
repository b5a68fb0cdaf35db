import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CorruptRecordError, decodeRecord, encodeRecord } from '../../../core/servers/record-codec.ts';
import { newRecord, recordStatus } from '../../../core/servers/record-status.ts';
import { labels, type ServerRecord } from '../../../core/servers/server-record.ts';
import { payloadOf } from '../payload-of.ts';

const now = Date.UTC(2026, 0, 1);
const silent = { outcome: 'PROBE_OUTCOME_NO_REPLY', payload: null, queryPort: 0 } as const;
const answered = { outcome: 'PROBE_OUTCOME_ONLINE', payload: payloadOf(), queryPort: 65_535 } as const;

const pending = newRecord('csgo', '[2001:db8::1]:27015', 'tok_0123456789ab', now, 60_000);
const online = recordStatus(pending, answered, now + 0.5, 60_000);
const failed = recordStatus(online, silent, now + 60_000, 60_000);
const offline = recordStatus(failed, silent, now + 120_000, 60_000);

describe('record codec', () => {
  for (const [name, record] of Object.entries({ pending, online, failed, offline })) {
    test(`a ${name} record comes back as it was`, () => {
      assert.deepEqual(decodeRecord(record.key, encodeRecord(record)), record);
    });
  }

  test('every label comes back, in the payload too', () => {
    for (const label of labels) {
      const record = recordStatus({ ...online, label }, answered, now, 60_000);
      assert.deepEqual(decodeRecord(record.key, encodeRecord(record)), record);
      assert.ok(record.json.includes(`"firewall_label":"${label}"`));
    }
  });

  test('figures beyond their field are kept at its limit', () => {
    const record: ServerRecord = { ...offline, failures: 70_000, intervalMs: 60 * 86_400_000 };
    const found = decodeRecord(record.key, encodeRecord(record));
    assert.deepEqual([found.failures, found.intervalMs], [65_535, 0xffffffff]);
  });

  test('no part of a record passes for one', () => {
    const bytes = encodeRecord(online);
    for (let length = 0; length < bytes.length; length++) {
      assert.throws(
        () => decodeRecord(online.key, bytes.subarray(0, length)),
        CorruptRecordError,
        `${length} bytes`,
      );
    }
    assert.throws(
      () => decodeRecord(online.key, Buffer.concat([bytes, Buffer.alloc(1)])),
      CorruptRecordError,
    );
  });

  test('no flipped bit passes', () => {
    const bytes = encodeRecord(online);
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const flipped = Buffer.from(bytes);
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      assert.throws(
        () => decodeRecord(online.key, flipped),
        CorruptRecordError,
        `bit ${bit & 7} of byte ${bit >> 3}`,
      );
    }
  });

  test('a key that is none, and a format of another release, are refused by name', () => {
    const bytes = encodeRecord(online);
    for (const key of ['', 'csgo', ' 1.2.3.4:1']) {
      assert.throws(() => decodeRecord(key, bytes), {
        name: 'CorruptRecordError',
        message: `the stored record of "${key}" is not in format 1`,
      });
    }
    const later = Buffer.from(bytes);
    later[0] = 2;
    assert.throws(() => decodeRecord(online.key, later), /"csgo \[2001:db8::1\]:27015" is not in format 1$/);
  });
});
