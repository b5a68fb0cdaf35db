import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  CorruptRecordError,
  checkRecord,
  decodeRecord,
  encodeRecord,
  upgradeRecord,
} from '../../../core/servers/record-codec.ts';
import { reasonAt } from '../../../core/servers/record-pointer.ts';
import { newRecord } from '../../../core/servers/record-status.ts';
import { noHistory, type ServerRecord } from '../../../core/servers/server-record.ts';
import { inMemory } from './stored-record.ts';

const now = Date.UTC(2026, 0, 1);
const pending = newRecord('csgo', '[2001:db8::1]:27015', 'tok_0123456789ab', now, 60_000);

/** A record of which every field is known, in the history too. */
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
  data: Buffer.from('{"name":"☃"'),
};

/** The bytes of `known` as text, as a format writes them: its number, checksum, bytes 12, 13 and 23. */
function written(
  format: string,
  checksum: string,
  twelve: string,
  thirteen: string,
  twentyThree: string,
): string {
  const fields = `${format}020310 ${checksum} e0930400 ${twelve}${thirteen} 8869 70110100 0d0000${twentyThree}`;
  const times = '000080aa6db77942 0000ccc76db77942 000880aa6db77942 00000a116eb77942 0000000000000000';
  const rest = '746f6b5f303132333435363738396162 7b226e616d65223a22e2988322';
  return `${fields}${times}${rest}`.replaceAll(' ', '');
}

test('the bytes of a record are those that are described', () => {
  assert.equal(encodeRecord(known).toString('hex'), written('02', 'ef4e9573', '31', 'b4', '80'));
});

describe('a record of the first release', () => {
  // Bytes 12 and 13: two failures in a row, five of which read as witnessed, and losses in three of the last probes.
  const stored = (): Buffer => Buffer.from(written('01', '684263ff', 'ba', '07', '00'), 'hex');

  test("is let through, and upgraded it is this release's, but for a history that only its rules could read", () => {
    const bytes = stored();
    checkRecord(known.key, bytes);
    upgradeRecord(bytes);
    const record = decodeRecord(known.gameId, inMemory(known.address, bytes));
    assert.deepEqual(record, { ...known, history: noHistory });
    const written = encodeRecord(record);
    checkRecord(record.key, written);
    assert.equal(written[0], 2);
    assert.deepEqual(decodeRecord(record.gameId, inMemory(record.address, written)), record);
  });

  test('keeps how long it was clean, empty and the same', () => {
    const bytes = stored();
    bytes[1] = (bytes[1] ?? 0) | (5 << 2) | (6 << 5);
    bytes[2] = (bytes[2] ?? 0) | (30 << 3);
    upgradeRecord(bytes);
    const { status, label, history } = decodeRecord(known.gameId, inMemory(known.address, bytes));
    assert.deepEqual([status, label], ['offline', 'filtered']);
    assert.deepEqual(history, { ...noHistory, clean: 5, emptyTicks: 6, sameTicks: 30 });
  });

  test('that was never probed says so', () => {
    const bytes = stored();
    bytes.writeDoubleLE(0, 32);
    upgradeRecord(bytes);
    assert.equal(reasonAt(inMemory(known.address, bytes)), 'unprobed');
  });

  test('is checked as any other', () => {
    for (let i = 0; i < stored().length; i++) {
      const bytes = stored();
      bytes[i] = (bytes[i] ?? 0) ^ 0x40;
      assert.throws(() => checkRecord(known.key, bytes), CorruptRecordError, `byte ${i}`);
    }
  });

  test('one of this release is not touched', () => {
    const bytes = encodeRecord(known);
    const before = Buffer.from(bytes);
    upgradeRecord(bytes);
    assert.deepEqual(bytes, before);
  });
});
