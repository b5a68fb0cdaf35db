import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { labelOfSilence, type SilenceSeen } from '../../../core/servers/probe-label.ts';
import { newRecord } from '../../../core/servers/record-status.ts';
import type { ServerRecord } from '../../../core/servers/server-record.ts';
import type { ReportedPayload } from '../../../proto/codec/reported-payload.ts';
import { payloadOf } from '../payload-of.ts';
import { offlineRecord, onlineRecord, silentRecord } from '../record-of.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const start = Date.UTC(2026, 0, 1);
const pending = newRecord('csgo', '1.2.3.4:27015', 'tok_1', start, MINUTE);
const online = onlineRecord(pending, start);
const same = payloadOf();
const empty = payloadOf({ players: 0, playerList: [] });

/**
 * Returns two fields of a server record: the firewall label, such as `rate_limited`, and the probe interval in minutes.
 */
const labelAndMinutes = ({ label, intervalMs }: ServerRecord) => [label, intervalMs / MINUTE];

/**
 * Simulates the probes of a server for `ms` milliseconds. Returns the record after each probe. `payload` returns the
 * reply at a given time.
 */
function during(
  server: ServerRecord,
  ms: number,
  payload: (at: number) => ReportedPayload,
  lost = 0,
): ServerRecord[] {
  const records: ServerRecord[] = [];
  const end = server.nextProbeAt + ms;
  for (let record = server; record.nextProbeAt < end; records.push(record)) {
    const at = record.nextProbeAt;
    record = onlineRecord(record, at, { payload: payload(at), sent: 3, lost });
  }
  return records;
}
const last = (records: readonly ServerRecord[]): ServerRecord => records.at(-1) ?? pending;

/** Returns a payload with a player whose play time grows with `at`. */
const playing = (at: number): ReportedPayload =>
  payloadOf({ playerList: [{ name: 'Ann', score: 0, time: Math.floor((at - start) / 1000) + 1 }] });

describe('a server without players for a long time', () => {
  const records = during(pending, 3 * HOUR, () => empty);

  test('is probed every 5 minutes instead of every minute', () => {
    for (const { lastProbeAt, label, intervalMs } of records) {
      const minutes = (lastProbeAt - start) / MINUTE;
      assert.equal(label, 'none');
      if (minutes < 30) assert.equal(intervalMs, MINUTE, `after ${minutes}`);
      if (minutes > 37.5) assert.equal(intervalMs, 5 * MINUTE, `after ${minutes}`);
    }
  });

  test('is probed at the normal interval again when a player has joined', () => {
    const met = onlineRecord(last(records), start + 4 * HOUR, { payload: playing(start) });
    assert.deepEqual(labelAndMinutes(met), ['none', 1]);
    assert.deepEqual(labelAndMinutes(onlineRecord(met, start + 4 * HOUR + MINUTE, { payload: empty })), [
      'none',
      1,
    ]);
  });

  test('is probed every 5 minutes after it has lost the firewall label `rate_limited`', () => {
    const limited = during(last(records), 2 * HOUR, () => empty, 2).find(
      ({ label }) => label === 'rate_limited',
    );
    assert.deepEqual(limited && labelAndMinutes(limited), ['rate_limited', 10]);
    assert.deepEqual(labelAndMinutes(last(during(limited ?? pending, 3 * HOUR, () => empty))), ['none', 5]);
  });

  test('is probed at the normal interval again if it was offline and then answers', () => {
    const gone = offlineRecord(last(records), start + 4 * HOUR);
    assert.deepEqual(labelAndMinutes(onlineRecord(gone, start + 5 * HOUR, { payload: empty })), ['none', 1]);
  });
});

describe('the label `cached` (answers seem to come from a cache)', () => {
  const records = during(pending, 3 * HOUR, () => same);
  const cached = last(records);
  const labelsOf = (found: readonly ServerRecord[]) => new Set(found.map(({ label }) => label));

  test('is set if the players and their play times stay the same for two hours', () => {
    const first = records.find(({ label }) => label === 'cached');
    const minutes = ((first?.lastProbeAt ?? 0) - start) / MINUTE;
    assert.ok(minutes >= 110 && minutes <= 125, `${minutes}`);
    assert.deepEqual(labelAndMinutes(cached), ['cached', 5]);
  });

  test('is not set if the play time of a player grows from answer to answer', () => {
    assert.deepEqual(labelsOf(during(pending, 3 * HOUR, playing)), new Set(['none']));
  });

  test('is not set if the game protocol reports no play times of players', () => {
    const still = payloadOf({ playerList: [] });
    assert.deepEqual(labelsOf(during(pending, 3 * HOUR, () => still)), new Set(['none']));
  });

  test('is not set if two answers that are a day apart are equal', () => {
    assert.equal(onlineRecord(online, start + 24 * HOUR, { payload: same }).label, 'none');
  });

  test('is removed after 15 changed answers in a row', () => {
    const labels = during(cached, 3 * HOUR, playing).map(labelAndMinutes);
    assert.deepEqual(
      [labels[3], labels[4], labels[9], labels[14]],
      [
        ['cached', 5],
        ['cached', 2.5],
        ['cached', 1.25],
        ['none', 1],
      ],
    );
  });

  test('stays if a repeated answer interrupts a series of changed answers', () => {
    const other =
      during(cached, 20 * MINUTE, playing)
        .slice(0, 4)
        .at(-1) ?? cached;
    const again = onlineRecord(other, other.nextProbeAt, { payload: playing(other.lastProbeAt) });
    assert.deepEqual([again.label, again.history.clean], ['cached', 0]);
  });
});

describe('the label that explains why a server is silent', () => {
  const seen: SilenceSeen = { offline: false, challenged: 0, hostAnswers: false, refused: false };
  const limited: ServerRecord = { ...online, label: 'rate_limited' };

  test('stays the same while the server counts as online and has sent no challenge', () => {
    for (const hostAnswers of [false, true]) {
      assert.equal(labelOfSilence(online, { ...seen, hostAnswers }), 'none');
      assert.equal(labelOfSilence(limited, { ...seen, hostAnswers }), 'rate_limited');
    }
  });

  test('becomes `challenge_only` after three probes that got only a challenge', () => {
    for (const server of [pending, online, limited]) {
      assert.equal(labelOfSilence(server, { ...seen, challenged: 2 }), server.label);
      for (const offline of [false, true])
        assert.equal(labelOfSilence(server, { ...seen, challenged: 3, offline }), 'challenge_only');
    }
  });

  test('becomes `filtered` if the server goes offline while other servers on its host answer', () => {
    const gone = { ...seen, offline: true };
    assert.equal(labelOfSilence(limited, { ...gone, hostAnswers: true }), 'filtered');
    assert.equal(labelOfSilence(limited, gone), 'none');
    assert.equal(labelOfSilence(online, { ...gone, hostAnswers: true, refused: true }), 'none');
    assert.equal(
      labelOfSilence(pending, { ...gone, hostAnswers: true }),
      'none',
      'a port that never answered',
    );
  });

  test('stays `filtered` until the host reports a closed port or the server answers', () => {
    const filtered = offlineRecord(online, start + HOUR, { hostAnswers: true });
    assert.equal(filtered.label, 'filtered');
    const later = offlineRecord(filtered, start + 2 * HOUR, { hostAnswers: false });
    assert.equal(later.label, 'filtered');
    assert.equal(offlineRecord(later, start + 3 * HOUR, { reason: 'refused' }).label, 'none');
    assert.deepEqual(labelAndMinutes(onlineRecord(later, start + 3 * HOUR)), ['none', 1]);
  });

  test('does not influence whether a failed probe makes the server offline', () => {
    for (const label of ['none', 'rate_limited', 'challenge_only', 'filtered', 'cached'] as const) {
      const server = { ...online, label };
      assert.equal(offlineRecord(server, start + HOUR).status, 'offline');
      assert.equal(silentRecord(server, start + HOUR).status, 'online');
    }
  });
});
