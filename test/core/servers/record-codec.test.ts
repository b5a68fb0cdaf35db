import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  CorruptRecordError,
  checkRecord,
  decodeRecord,
  encodeRecord,
} from '../../../core/servers/record-codec.ts';
import {
  dataLengthAt,
  dataStartAt,
  forgetLoss,
  intervalMsAt,
  labelAt,
  lastOnlineAtOf,
  lastProbeAtOf,
  nextProbeAtOf,
  queryPortAt,
  reasonAt,
  statusAt,
} from '../../../core/servers/record-pointer.ts';
import { newRecord } from '../../../core/servers/record-status.ts';
import {
  labels,
  noHistory,
  type ProbeHistory,
  reasons,
  type ServerRecord,
  statuses,
} from '../../../core/servers/server-record.ts';
import { randomNumbers } from '../../system/random-numbers.ts';
import { offlineRecord, onlineRecord, silentRecord } from '../record-of.ts';
import { inMemory } from './stored-record.ts';

const now = Date.UTC(2026, 0, 1);

const pending = newRecord('csgo', '[2001:db8::1]:27015', 'tok_0123456789ab', now, 60_000);
const online = onlineRecord(pending, now + 0.5, { queryPort: 65_535 });
const failed = silentRecord(online, now + 60_000, { reason: 'refused' });
const offline = offlineRecord(failed, now + 120_000, { hostAnswers: true });

/** Encodes a record, checks the bytes, and decodes them. */
function again(record: ServerRecord): ServerRecord {
  const stored = encodeRecord(record);
  checkRecord(record.key, stored);
  return decodeRecord(record.gameId, inMemory(record.address, stored));
}

/** A probe history in which every field has its largest value. */
const full: ProbeHistory = {
  answers: 15,
  lossShare: 1,
  limitEvidence: 25.5,
  clean: 7,
  emptyTicks: 7,
  sameTicks: 31,
};

/**
 * Returns probe histories in which one field has its largest, smallest or empty value and the other fields have another
 * value.
 */
function histories(): ProbeHistory[] {
  const least = { answers: 1, lossShare: 1 / 255, limitEvidence: 0.1, clean: 1, emptyTicks: 1, sameTicks: 1 };
  const fields = Object.keys(full) as (keyof ProbeHistory)[];
  const each = fields.flatMap(field => [
    { ...noHistory, [field]: full[field] },
    { ...full, [field]: 0 },
    { ...noHistory, [field]: least[field] },
  ]);
  return [noHistory, full, least, ...each];
}

function randomRecord(below: (most: number) => number): ServerRecord {
  const one = <T>(list: readonly T[]): T => list[below(list.length)] as T;
  const address = below(2)
    ? `1.2.${below(256)}.4:${below(65_536)}`
    : `${'a'.repeat(1 + below(60))}.example:1`;
  return {
    ...newRecord('csgo', address, `tok_${'x'.repeat(below(40))}`, below(2 ** 31) * 1000, 60_000),
    status: one(statuses),
    label: one(labels),
    reason: one(reasons),
    intervalMs: below(2 ** 32),
    lastProbeAt: below(2 ** 31) * 1000,
    lastOnlineAt: below(2 ** 31) * 1000,
    nextProbeAt: below(2 ** 31) * 1000,
    history: {
      answers: below(16),
      lossShare: below(256) / 255,
      limitEvidence: below(256) / 10,
      clean: below(8),
      emptyTicks: below(8),
      sameTicks: below(32),
    },
    queryPort: below(65_536),
    version: below(2 ** 32),
    data: Buffer.from('☃'.repeat(below(300))),
  };
}

describe('record codec', () => {
  for (const [name, record] of Object.entries({ pending, online, failed, offline })) {
    test(`a ${name} record is unchanged after encoding and decoding`, () => {
      assert.deepEqual(again(record), record);
    });

    test(`the fields of a ${name} record can be read from memory without decoding the whole record`, () => {
      const place = inMemory(record.address, encodeRecord(record));
      assert.equal(statusAt(place), record.status);
      assert.equal(labelAt(place), record.label);
      assert.equal(reasonAt(place), record.reason);
      assert.equal(queryPortAt(place), record.queryPort);
      assert.equal(intervalMsAt(place), record.intervalMs);
      assert.equal(lastProbeAtOf(place), record.lastProbeAt);
      assert.equal(lastOnlineAtOf(place), record.lastOnlineAt);
      assert.equal(nextProbeAtOf(place), record.nextProbeAt);
      const start = dataStartAt(place);
      assert.deepEqual(place.bytes.subarray(start, start + dataLengthAt(place)), record.data);
    });
  }

  test('a decoded record does not change when its source bytes change', () => {
    const place = inMemory(online.address, encodeRecord(online));
    const record = decodeRecord(online.gameId, place);
    place.bytes.fill(0);
    assert.deepEqual(record, online);
  });

  test('every label is unchanged after encoding and decoding', () => {
    for (const label of labels) {
      const record = { ...online, label };
      assert.deepEqual(again(record), record);
    }
  });

  test('every reason is unchanged after encoding and decoding, and there are at most 16 reasons', () => {
    assert.ok(reasons.length <= 16);
    for (const reason of reasons) {
      const record = { ...offline, reason };
      assert.deepEqual(again(record), record);
      assert.equal(reasonAt(inMemory(record.address, encodeRecord(record))), reason);
    }
  });

  test('every field is unchanged after encoding and decoding, whatever values the other fields have', () => {
    const below = randomNumbers(20_261);
    for (let i = 0; i < 5_000; i++) {
      const record = randomRecord(below);
      assert.deepEqual(again(record), record);
      const place = inMemory(record.address, encodeRecord(record));
      assert.deepEqual(
        [statusAt(place), labelAt(place), reasonAt(place), dataLengthAt(place)],
        [record.status, record.label, record.reason, record.data.length],
      );
    }
  });

  test('every field of the probe history is unchanged after encoding and decoding, and so is the rest of the record', () => {
    for (const history of histories()) {
      for (const server of [pending, online, failed, offline]) {
        const record = { ...server, history };
        assert.deepEqual(again(record), record);
      }
    }
  });

  test('a value beyond the range of its field is stored as the largest value of the field', () => {
    const history = {
      answers: 16,
      lossShare: 1,
      limitEvidence: 1e9,
      clean: 8,
      emptyTicks: 10,
      sameTicks: 70,
    };
    const found = again({ ...offline, intervalMs: 60 * 86_400_000, history });
    assert.equal(found.intervalMs, 0xffffffff);
    assert.deepEqual(found.history, full);
    assert.deepEqual([found.status, found.label, found.reason], ['offline', 'filtered', 'no_reply']);
  });

  test('the loss share is stored in steps of 1/255, and the evidence of a rate limit in tenths of a nat', () => {
    const { lossShare, limitEvidence } = again({
      ...online,
      history: { ...full, lossShare: 1 / 3, limitEvidence: 17.96 },
    }).history;
    assert.deepEqual([lossShare, limitEvidence], [1 / 3, 18]);
  });

  test('forgetLoss sets the number of answers of a record to 0 and changes nothing else', () => {
    for (const record of [
      pending,
      online,
      { ...offline, history: full, reason: reasons.at(-1) ?? 'paced' },
    ]) {
      const place = inMemory(record.address, encodeRecord(record));
      forgetLoss(place);
      assert.deepEqual(decodeRecord(record.gameId, place), {
        ...record,
        history: { ...record.history, answers: 0 },
      });
    }
  });

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

  test('a record with an invalid key or an unknown format is refused, and the message contains the key', () => {
    const bytes = encodeRecord(online);
    for (const key of ['', 'csgo', ' 1.2.3.4:1', `csgo ${'a'.repeat(1020)}`]) {
      assert.throws(() => checkRecord(key, bytes), {
        name: 'CorruptRecordError',
        message: `the stored record of "${key}" is in no format up to 3`,
      });
    }
    const later = Buffer.from(bytes);
    for (const format of [0, 4]) {
      later[0] = format;
      assert.throws(
        () => checkRecord(online.key, later),
        /"csgo \[2001:db8::1\]:27015" is in no format up to 3$/,
      );
    }
  });
});
