import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { checkRecord, decodeRecord, encodeRecord } from '../../../core/servers/record-codec.ts';
import {
  dataLengthAt,
  dataStartAt,
  forgetLoss,
  intervalMsAt,
  labelAt,
  lastOnlineAtOf,
  lastProbeAtOf,
  nextProbeAtOf,
  openHourLengthAt,
  queryPortAt,
  reasonAt,
  statusAt,
} from '../../../core/servers/record-pointer.ts';
import { labels, reasons, type ServerRecord } from '../../../core/servers/server-record.ts';
import { randomNumbers } from '../../system/random-numbers.ts';
import { failed, full, histories, offline, online, pending, randomRecord } from './sample-records.ts';
import { inMemory } from './stored-record.ts';

/** Encodes a record, verifies the encoded bytes with `checkRecord`, and decodes them. */
function roundTrip(record: ServerRecord): ServerRecord {
  const stored = encodeRecord(record);
  checkRecord(record.key, stored);
  return decodeRecord(record.gameId, inMemory(record.address, stored));
}

describe('codec of server records', () => {
  for (const [name, record] of Object.entries({ pending, online, 'online but silent': failed, offline })) {
    test(`the record of a server that is ${name} is unchanged after encoding and decoding`, () => {
      assert.deepEqual(roundTrip(record), record);
    });

    test(`each field of the record of a server that is ${name} can be read without decoding the record`, () => {
      const pointer = inMemory(record.address, encodeRecord(record));
      assert.equal(statusAt(pointer), record.status);
      assert.equal(labelAt(pointer), record.label);
      assert.equal(reasonAt(pointer), record.reason);
      assert.equal(queryPortAt(pointer), record.queryPort);
      assert.equal(intervalMsAt(pointer), record.intervalMs);
      assert.equal(lastProbeAtOf(pointer), record.lastProbeAt);
      assert.equal(lastOnlineAtOf(pointer), record.lastOnlineAt);
      assert.equal(nextProbeAtOf(pointer), record.nextProbeAt);
      const start = dataStartAt(pointer);
      assert.deepEqual(pointer.bytes.subarray(start, start + dataLengthAt(pointer)), record.data);
    });
  }

  test('a decoded record does not change when its source bytes change', () => {
    const pointer = inMemory(online.address, encodeRecord(online));
    const record = decodeRecord(online.gameId, pointer);
    pointer.bytes.fill(0);
    assert.deepEqual(record, online);
  });

  test('every firewall label, such as `rate_limited`, is unchanged after encoding and decoding', () => {
    for (const label of labels) {
      const record = { ...online, label };
      assert.deepEqual(roundTrip(record), record);
    }
  });

  test('every failure reason is unchanged after encoding and decoding', () => {
    assert.ok(reasons.length <= 16);
    for (const reason of reasons) {
      const record = { ...offline, reason };
      assert.deepEqual(roundTrip(record), record);
      assert.equal(reasonAt(inMemory(record.address, encodeRecord(record))), reason);
    }
  });

  test('every field is unchanged after encoding and decoding, whatever values the other fields have', () => {
    const below = randomNumbers(20_261);
    for (let i = 0; i < 5_000; i++) {
      const record = randomRecord(below);
      assert.deepEqual(roundTrip(record), record);
      const pointer = inMemory(record.address, encodeRecord(record));
      assert.deepEqual(
        [
          statusAt(pointer),
          labelAt(pointer),
          reasonAt(pointer),
          dataLengthAt(pointer),
          openHourLengthAt(pointer),
        ],
        [record.status, record.label, record.reason, record.data.length, record.openHour.length],
      );
    }
  });

  test('a record with any probe history is unchanged after encoding and decoding', () => {
    for (const history of histories()) {
      for (const server of [pending, online, failed, offline]) {
        const record = { ...server, history };
        assert.deepEqual(roundTrip(record), record);
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
    const found = roundTrip({ ...offline, intervalMs: 60 * 86_400_000, history });
    assert.equal(found.intervalMs, 0xffffffff);
    assert.deepEqual(found.history, full);
    assert.deepEqual([found.status, found.label, found.reason], ['offline', 'filtered', 'no_reply']);
  });

  test('a record stores the share of lost packets in steps of 1/255', () => {
    const { lossShare, limitEvidence } = roundTrip({
      ...online,
      history: { ...full, lossShare: 1 / 3, limitEvidence: 17.96 },
    }).history;
    assert.deepEqual([lossShare, limitEvidence], [1 / 3, 18]);
  });

  test('forgetLoss() makes the average packet loss start again with 0 answers, and changes nothing else in the record', () => {
    for (const record of [
      pending,
      online,
      { ...offline, history: full, reason: reasons.at(-1) ?? 'paced' },
    ]) {
      const pointer = inMemory(record.address, encodeRecord(record));
      forgetLoss(pointer);
      assert.deepEqual(decodeRecord(record.gameId, pointer), {
        ...record,
        history: { ...record.history, answers: 0 },
      });
    }
  });
});
