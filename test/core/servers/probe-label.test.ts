import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Answer, afterAnswer } from '../../../core/servers/probe-label.ts';
import { newRecord } from '../../../core/servers/record-status.ts';
import type { ServerRecord } from '../../../core/servers/server-record.ts';
import { randomNumbers } from '../../system/random-numbers.ts';
import { onlineRecord, silentRecord } from '../record-of.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const start = Date.UTC(2026, 0, 1);
const pending = newRecord('csgo', '1.2.3.4:27015', 'tok_1', start, MINUTE);
const online = onlineRecord(pending, start);

const clean: Answer = { sent: 1, lost: 0, lostBefore: 0, uplinkLoss: 0.01, empty: false, same: false };
const lossy: Answer = { ...clean, sent: 3, lost: 2 };

/**
 * Returns the record of a server after several probes. `answers`: the answer to each probe. The probes follow each
 * other at the probe interval of the server.
 */
function answered(server: ServerRecord, ...answers: readonly Answer[]): ServerRecord {
  let record = server;
  for (const answer of answers) {
    const now = record.lastOnlineAt + record.intervalMs;
    record = { ...record, ...afterAnswer(record, answer, now, MINUTE), lastOnlineAt: now, lastProbeAt: now };
  }
  return record;
}
const times = (count: number, answer: Answer): Answer[] => Array<Answer>(count).fill(answer);
/**
 * Returns two fields of a server record: the firewall label, such as `rate_limited`, and the probe interval in minutes.
 */
const labelAndMinutes = ({ label, intervalMs }: ServerRecord) => [label, intervalMs / MINUTE];
const labelled = (server: ServerRecord, answer: Answer): ServerRecord => {
  let record = server;
  while (record.label !== 'rate_limited') record = answered(record, answer);
  return record;
};

/**
 * Yields the answers to probes of one packet each. The fraction `share` of the packets is lost at random. `lostBefore`:
 * number of packets lost since the previous answer.
 */
function* randomAnswers(share: number, packets: number, uplinkLoss: number): Generator<Answer> {
  const below = randomNumbers(20_261);
  let lostBefore = 0;
  for (let sent = 0; sent < packets; sent++) {
    if (below(1e6) < share * 1e6) {
      lostBefore++;
      continue;
    }
    yield { ...clean, lostBefore, uplinkLoss };
    lostBefore = 0;
  }
}

describe('the label `rate_limited`', () => {
  for (const [share, uplinkLoss] of [
    [0.05, 0.01],
    [0.1, 0.01],
    [0.3, 0.3],
  ] as const) {
    test(`is not set by ${share * 100} % random packet loss if the prober’s connection loses ${uplinkLoss * 100} %`, () => {
      let record = online;
      for (const answer of randomAnswers(share, 1e6, uplinkLoss)) {
        record = { ...record, ...afterAnswer(record, answer, start, MINUTE) };
        assert.equal(record.label, 'none');
      }
    });
  }

  test('is set within 100 packets if 60 % of the packets are lost', () => {
    let [record, labels, packets] = [online, 0, 0];
    for (const answer of randomAnswers(0.6, 10_000, 0.01)) {
      packets += 1 + answer.lostBefore;
      const next = answered(record, answer);
      if (next.label === 'rate_limited' && next.history.limitEvidence === 0) labels++;
      record = next;
      if (labels === 0) assert.ok(packets < 100, `${packets} packets`);
    }
    assert.deepEqual([record.label, record.intervalMs / MINUTE], ['rate_limited', 15]);
    assert.ok(labels > 20, `${labels} times`);
  });

  test('is set by nine probes that each lose two of three packets, but not by eight', () => {
    // The core sets the label `rate_limited` when `limitEvidence` reaches 18. A probe that loses two of three packets
    // adds 2 ln(3.5) + ln(0.65 / 0.9) = 2.18. Eight such probes add only 17.4, but nine add 19.6.
    assert.deepEqual(labelAndMinutes(answered(online, ...times(8, lossy))), ['none', 1]);
    const limited = answered(online, ...times(9, lossy));
    assert.deepEqual(labelAndMinutes(limited), ['rate_limited', 2]);
    assert.equal(limited.history.limitEvidence, 0, 'what told is not counted again');
  });

  test('is influenced by at most two of the packets that were lost between two answers', () => {
    const bridged = (lostBefore: number) => answered(online, { ...clean, lostBefore }).history.limitEvidence;
    assert.ok(bridged(1) < bridged(2));
    assert.equal(bridged(2), bridged(24));
  });

  test('is set after more probes if the prober’s own connection loses more packets', () => {
    const probes = [0.01, 0.2].map(uplinkLoss => {
      let [record, count] = [online, 0];
      for (; record.label === 'none' && count < 100; count++)
        record = answered(record, { ...lossy, uplinkLoss });
      return count;
    });
    assert.deepEqual(probes, [9, 14]);
    assert.equal(answered(online, ...times(1_000, { ...lossy, uplinkLoss: 0.95 })).label, 'none');
  });

  test('doubles the probe interval each time it is set, up to 15 minutes', () => {
    let record = online;
    const intervals: number[] = [];
    for (let i = 0; i < 6; i++) {
      record = answered(record, ...times(9, lossy));
      intervals.push(record.intervalMs / MINUTE);
    }
    assert.deepEqual(intervals, [2, 4, 8, 15, 15, 15]);
  });

  test('is removed when the probe interval has returned to normal', () => {
    let record = answered(online, ...times(36, lossy));
    assert.deepEqual(labelAndMinutes(record), ['rate_limited', 15]);
    const seen: unknown[] = [];
    for (let i = 0; i < 4; i++) {
      record = answered(record, ...times(4, clean));
      const before = record.intervalMs;
      record = answered(record, clean);
      seen.push([before / MINUTE, ...labelAndMinutes(record)]);
    }
    assert.deepEqual(seen, [
      [15, 'rate_limited', 7.5],
      [7.5, 'rate_limited', 3.75],
      [3.75, 'rate_limited', 1.875],
      [1.875, 'none', 1],
    ]);
    assert.deepEqual(labelAndMinutes(answered(record, ...times(8, lossy))), ['none', 1], 'it begins anew');
  });

  test('is removed only after five answers in a row without a lost packet or failed probe', () => {
    const limited = labelled(online, lossy);
    for (const other of [lossy, { ...clean, lostBefore: 1 }]) {
      const record = answered(limited, ...times(4, clean), other, ...times(4, clean));
      assert.deepEqual(labelAndMinutes(record), ['rate_limited', 2]);
      assert.deepEqual(labelAndMinutes(answered(record, clean)), ['none', 1]);
    }
    const silent = silentRecord(answered(limited, ...times(4, clean)), start + HOUR);
    assert.deepEqual(labelAndMinutes(answered(silent, ...times(4, clean))), ['rate_limited', 2]);
  });
});

describe('the share of lost packets', () => {
  test('is the mean over the first fifteen answers of a server, and then an exponential moving average', () => {
    const half = { ...clean, sent: 2, lost: 1 };
    const record = answered(pending, clean, half, clean, half);
    assert.deepEqual([record.history.answers, record.history.lossShare], [4, 0.25]);
    const long = answered(pending, ...times(20, clean), half);
    assert.equal(long.history.answers, 15);
    assert.ok(Math.abs(long.history.lossShare - 0.5 / 15) < 1e-9);
  });

  test('includes the packets that were lost before an answer, and stays 0 if the probe sent no packet', () => {
    assert.equal(answered(pending, { ...clean, lostBefore: 3 }).history.lossShare, 0.75);
    assert.equal(answered(pending, { ...clean, sent: 0 }).history.lossShare, 0);
  });
});
