import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  CorruptRecordError,
  checkRecord,
  decodeRecord,
  encodeRecord,
  HEADER,
  IN_MEMORY,
  placeDataLength,
  placeDataStart,
  placeIntervalMs,
  placeLabel,
  placeLastOnlineAt,
  placeLastProbeAt,
  placeNextProbeAt,
  placeStatus,
  type RecordPlace,
} from '../../../core/servers/record-codec.ts';
import { newRecord, recordStatus } from '../../../core/servers/record-status.ts';
import { labels, noHistory, readings, type ServerRecord } from '../../../core/servers/server-record.ts';
import { payloadOf } from '../payload-of.ts';

const now = Date.UTC(2026, 0, 1);
const silent = { outcome: 'PROBE_OUTCOME_NO_REPLY', payload: null, queryPort: 0 } as const;
const answered = { outcome: 'PROBE_OUTCOME_ONLINE', payload: payloadOf(), queryPort: 65_535 } as const;

const pending = newRecord('csgo', '[2001:db8::1]:27015', 'tok_0123456789ab', now, 60_000);
const online = recordStatus(pending, answered, now + 0.5, 60_000);
const failed = recordStatus(online, silent, now + 60_000, 60_000);
const offline = recordStatus(failed, silent, now + 120_000, 60_000);

/** The bytes of a record as they lie in memory: the address behind the header, somewhere in the middle. */
function inMemory(address: string, stored: Buffer): RecordPlace {
  const at = 24;
  const memory = new ArrayBuffer(at + stored.length + address.length + 8);
  const bytes = Buffer.from(memory);
  bytes.fill(0xff);
  stored.copy(bytes, at, 0, HEADER);
  bytes.writeUInt16LE(address.length, at + IN_MEMORY);
  bytes.fill(0xff, at + IN_MEMORY + 2, at + HEADER);
  bytes.write(address, at + HEADER);
  stored.copy(bytes, at + HEADER + address.length, HEADER);
  return { bytes, view: new DataView(memory), at };
}

/** What becomes of a record that is stored and read again. */
function again(record: ServerRecord): ServerRecord {
  const stored = encodeRecord(record);
  checkRecord(record.key, stored);
  return decodeRecord(record.gameId, inMemory(record.address, stored));
}

describe('record codec', () => {
  for (const [name, record] of Object.entries({ pending, online, failed, offline })) {
    test(`a ${name} record comes back as it was`, () => {
      assert.deepEqual(again(record), record);
    });

    test(`the fields of a ${name} record are read where it lies`, () => {
      const place = inMemory(record.address, encodeRecord(record));
      assert.equal(placeStatus(place), record.status);
      assert.equal(placeLabel(place), record.label);
      assert.equal(placeIntervalMs(place), record.intervalMs);
      assert.equal(placeLastProbeAt(place), record.lastProbeAt);
      assert.equal(placeLastOnlineAt(place), record.lastOnlineAt);
      assert.equal(placeNextProbeAt(place), record.nextProbeAt);
      const start = placeDataStart(place);
      assert.deepEqual(place.bytes.subarray(start, start + placeDataLength(place)), record.data);
    });
  }

  test('a record that was read stays as it is when what lies there changes', () => {
    const place = inMemory(online.address, encodeRecord(online));
    const record = decodeRecord(online.gameId, place);
    place.bytes.fill(0);
    assert.deepEqual(record, online);
  });

  test('every label comes back', () => {
    for (const label of labels) {
      const record = recordStatus({ ...online, label }, answered, now, 60_000);
      assert.deepEqual(again(record), record);
      assert.equal(again(record).label, label);
    }
  });

  test('what is stored has not changed since the first release', () => {
    const record: ServerRecord = {
      ...pending,
      status: 'offline',
      label: 'filtered',
      intervalMs: 300_000,
      lastProbeAt: now + 120_000,
      lastOnlineAt: now + 0.5,
      nextProbeAt: now + 420_000,
      failures: 2,
      history: noHistory,
      queryPort: 27_016,
      version: 70_000,
      data: Buffer.from('{"name":"☃"'),
    };
    const fields = '01020310 acaa292f e0930400 0200 8869 70110100 0d000000';
    const times = '000080aa6db77942 0000ccc76db77942 000880aa6db77942 00000a116eb77942 0000000000000000';
    const rest = '746f6b5f303132333435363738396162 7b226e616d65223a22e2988322';
    assert.equal(encodeRecord(record).toString('hex'), `${fields}${times}${rest}`.replaceAll(' ', ''));
  });

  test('the history comes back bit by bit, and touches neither status nor label', () => {
    const full = {
      losses: 255,
      clean: 7,
      reading: 'witnessed',
      streak: 7,
      emptyTicks: 7,
      sameTicks: 31,
    } as const;
    const one = {
      losses: 1,
      clean: 1,
      reading: 'challenged',
      streak: 1,
      emptyTicks: 1,
      sameTicks: 1,
    } as const;
    const each = Object.keys(full).flatMap(field => [
      { ...noHistory, [field]: full[field as keyof typeof full] },
      { ...full, [field]: noHistory[field as keyof typeof full] },
      { ...noHistory, [field]: one[field as keyof typeof full] },
    ]);
    for (const history of [full, one, ...each, ...readings.map(reading => ({ ...noHistory, reading }))]) {
      for (const server of [pending, online, failed, offline]) {
        for (const label of labels) {
          const record = { ...server, label, history };
          assert.deepEqual(again(record), record);
          const place = inMemory(record.address, encodeRecord(record));
          assert.deepEqual([placeStatus(place), placeLabel(place)], [server.status, label]);
        }
      }
    }
  });

  test('figures beyond their field are kept at its limit', () => {
    const history = { ...noHistory, clean: 8, streak: 9, emptyTicks: 10, sameTicks: 70 };
    const found = again({ ...offline, failures: 70_000, intervalMs: 60 * 86_400_000, history });
    assert.deepEqual([found.failures, found.intervalMs], [7, 0xffffffff]);
    assert.deepEqual(found.history, { ...noHistory, clean: 7, streak: 7, emptyTicks: 7, sameTicks: 31 });
    assert.deepEqual([found.status, found.label, found.queryPort], ['offline', 'none', offline.queryPort]);
  });

  test('no part of a record passes for one', () => {
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

  test('no flipped bit passes', () => {
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

  test('a key that is none, and a format of another release, are refused by name', () => {
    const bytes = encodeRecord(online);
    for (const key of ['', 'csgo', ' 1.2.3.4:1', `csgo ${'a'.repeat(1020)}`]) {
      assert.throws(() => checkRecord(key, bytes), {
        name: 'CorruptRecordError',
        message: `the stored record of "${key}" is not in format 1`,
      });
    }
    const later = Buffer.from(bytes);
    later[0] = 2;
    assert.throws(() => checkRecord(online.key, later), /"csgo \[2001:db8::1\]:27015" is not in format 1$/);
  });
});
