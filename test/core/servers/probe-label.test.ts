import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newRecord, type ProbeFinding, recordStatus } from '../../../core/servers/record-status.ts';
import type { ServerRecord } from '../../../core/servers/server-record.ts';
import type { ProbeSigns__Output } from '../../../proto/generated/gsq/v1/ProbeSigns.ts';
import { payloadOf } from '../payload-of.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const start = Date.UTC(2026, 0, 1);

function signs(change: Partial<ProbeSigns__Output> = {}): ProbeSigns__Output {
  const none = { challenged: false, neighboursAnswered: false, neighboursSilent: false };
  return { packetsSent: 2, packetsLost: 0, ...none, ...change };
}

const answer = (change: Partial<ProbeFinding> = {}): ProbeFinding => ({
  outcome: 'PROBE_OUTCOME_ONLINE',
  payload: payloadOf(),
  queryPort: 27016,
  signs: signs(),
  ...change,
});
const failure = (change: Partial<ProbeSigns__Output> = {}): ProbeFinding => ({
  outcome: 'PROBE_OUTCOME_NO_REPLY',
  payload: null,
  queryPort: 0,
  signs: signs({ packetsLost: 2, ...change }),
});

const clean = answer();
const lossy = answer({ signs: signs({ packetsSent: 3, packetsLost: 1 }) });
const alone = failure();
const challenged = failure({ challenged: true });
const dropped = failure({ neighboursAnswered: true, neighboursSilent: true });
const witnessed = failure({ neighboursAnswered: true });
const hostSilent = failure({ neighboursSilent: true });
const refused: ProbeFinding = { ...alone, outcome: 'PROBE_OUTCOME_REFUSED' };

const times = (count: number, finding: ProbeFinding): ProbeFinding[] => Array(count).fill(finding);

/** Probes when it is due, with these findings one after the other. */
function probed(server: ServerRecord, ...findings: readonly ProbeFinding[]): ServerRecord {
  return findings.reduce(
    (record, finding) => recordStatus(record, finding, record.nextProbeAt, MINUTE),
    server,
  );
}

/** Status, label and interval in minutes. */
const standing = ({ status, label, intervalMs }: ServerRecord) => [status, label, intervalMs / MINUTE];

const pending = newRecord('csgo', '1.2.3.4:27015', 'tok_1', start, MINUTE);
const online = probed(pending, clean);

describe('rate_limited', () => {
  const limited = probed(online, lossy, lossy, lossy);

  test('three lossy probes of eight make it, two do not', () => {
    assert.deepEqual(standing(probed(online, lossy, lossy, ...times(5, clean))), ['online', 'none', 1]);
    assert.deepEqual(standing(limited), ['online', 'rate_limited', 2]);
    assert.deepEqual(standing(probed(online, lossy, ...times(3, clean), lossy, ...times(2, clean), lossy)), [
      'online',
      'rate_limited',
      2,
    ]);
    assert.deepEqual(standing(probed(online, lossy, ...times(4, clean), lossy, ...times(2, clean), lossy)), [
      'online',
      'none',
      1,
    ]);
  });

  test('one packet lost, or one probe, changes nothing', () => {
    for (const finding of [lossy, alone]) {
      assert.deepEqual(standing(probed(online, finding, clean)), ['online', 'none', 1]);
    }
  });

  test('a server that fails every second probe is limited, not offline', () => {
    const server = probed(online, alone, clean, alone, clean, alone, clean);
    assert.deepEqual(standing(server), ['online', 'rate_limited', 2]);
  });

  test('what is lost before its port is known says nothing', () => {
    assert.deepEqual(standing(probed(pending, lossy, lossy, lossy)), ['online', 'none', 1]);
  });

  test('two failures while siblings drop and others answer make it, and never offline', () => {
    for (const [server, status] of [
      [pending, 'pending'],
      [online, 'online'],
    ] as const) {
      assert.deepEqual(standing(probed(server, dropped)), [status, 'none', 1]);
      assert.deepEqual(standing(probed(server, dropped, dropped)), [status, 'rate_limited', 2]);
      assert.deepEqual(standing(probed(server, ...times(20, dropped))), [status, 'rate_limited', 15]);
      assert.deepEqual(standing(probed(server, alone, dropped, dropped)), [status, 'rate_limited', 2]);
    }
  });

  test('each further three signs double the interval, to 15 at most', () => {
    const intervals = [limited];
    for (let i = 0; i < 5; i++) intervals.push(probed(intervals.at(-1) ?? limited, lossy, lossy, lossy));
    assert.deepEqual(
      intervals.map(({ intervalMs }) => intervalMs / MINUTE),
      [2, 4, 8, 15, 15, 15],
    );
  });

  test('five clean probes in a row halve the interval; back at the base the label clears', () => {
    let server = probed(online, ...times(12, lossy));
    assert.deepEqual(standing(server), ['online', 'rate_limited', 15]);
    const seen: unknown[] = [];
    for (let i = 0; i < 4; i++) {
      server = probed(server, ...times(4, clean));
      const before = server.intervalMs;
      server = probed(server, clean);
      seen.push([before / MINUTE, ...standing(server)]);
    }
    assert.deepEqual(seen, [
      [15, 'online', 'rate_limited', 7.5],
      [7.5, 'online', 'rate_limited', 3.75],
      [3.75, 'online', 'rate_limited', 1.875],
      [1.875, 'online', 'none', 1],
    ]);
    assert.deepEqual(standing(probed(server, lossy, lossy)), ['online', 'none', 1], 'it begins anew');
  });

  test('clean probes count only in a row', () => {
    for (const other of [lossy, alone]) {
      const server = probed(limited, ...times(4, clean), other, ...times(4, clean));
      assert.deepEqual(standing(server), ['online', 'rate_limited', 2]);
      assert.deepEqual(standing(probed(server, clean)), ['online', 'none', 1]);
    }
  });

  test('alone and silent it is offline after seven probes, at its own pace and no sooner', () => {
    const six = probed(limited, ...times(6, alone));
    assert.deepEqual(standing(six), ['online', 'rate_limited', 8]);
    assert.ok(six.nextProbeAt - six.lastProbeAt >= 4 * MINUTE);
    const seven = probed(six, alone);
    assert.deepEqual(standing(seven), ['offline', 'none', 5]);
    assert.deepEqual(standing(probed(seven, alone)), ['offline', 'none', 10]);
  });

  test('when its whole host is silent, or it refuses, it is offline after four', () => {
    for (const finding of [hostSilent, refused]) {
      assert.equal(probed(limited, ...times(3, finding)).status, 'online');
      assert.deepEqual(standing(probed(limited, ...times(4, finding))), ['offline', 'none', 5]);
    }
  });
});

describe('challenge_only', () => {
  test('challenges and nothing more, twice: what was known stays, asked every 10', () => {
    for (const [server, status] of [
      [pending, 'pending'],
      [online, 'online'],
    ] as const) {
      assert.deepEqual(standing(probed(server, challenged)), [status, 'none', 1]);
      assert.deepEqual(standing(probed(server, challenged, challenged)), [status, 'challenge_only', 10]);
      assert.deepEqual(standing(probed(server, ...times(50, challenged))), [status, 'challenge_only', 10]);
    }
  });

  test('twenty clean probes clear it', () => {
    const server = probed(pending, challenged, challenged, ...times(19, clean));
    assert.deepEqual(standing(server), ['online', 'challenge_only', 1.25]);
    assert.deepEqual(standing(probed(server, clean)), ['online', 'none', 1]);
  });
});

describe('filtered', () => {
  const filtered = probed(online, witnessed, witnessed);

  test('online, then silent while its host answers elsewhere: stays online, asked every 15, then 30', () => {
    assert.deepEqual(standing(probed(online, witnessed)), ['online', 'none', 1]);
    assert.deepEqual(standing(filtered), ['online', 'filtered', 15]);
    assert.deepEqual(standing(probed(filtered, witnessed)), ['online', 'filtered', 30]);
    assert.ok(filtered.nextProbeAt - filtered.lastProbeAt >= 7.5 * MINUTE);
    assert.equal(filtered.queryPort, online.queryPort);
    assert.equal(filtered.lastOnlineAt, online.lastOnlineAt);
  });

  test('that another falls silent as well does not make it limited', () => {
    const [, label] = standing(probed(filtered, dropped, dropped));
    assert.equal(label, 'filtered');
  });

  test('offline when the neighbours are silent too', () => {
    assert.equal(probed(filtered, hostSilent).status, 'online');
    assert.deepEqual(standing(probed(filtered, hostSilent, hostSilent)), ['offline', 'none', 5]);
    assert.equal(probed(filtered, alone, alone).status, 'online');
  });

  test('nothing is told of it an hour after it last answered', () => {
    let server = filtered;
    while (server.nextProbeAt - server.lastOnlineAt < HOUR) {
      server = probed(server, witnessed);
      assert.deepEqual([server.status, server.label], ['online', 'filtered']);
    }
    assert.equal(probed(server, witnessed, witnessed).status, 'offline');
  });

  test('a port that never answered is just a wrong one', () => {
    assert.deepEqual(standing(probed(pending, witnessed, witnessed)), ['offline', 'none', 5]);
  });

  test('a limited server is filtered once it stays silent', () => {
    const limited = probed(online, lossy, lossy, lossy);
    assert.equal(probed(limited, ...times(4, witnessed)).label, 'rate_limited');
    assert.equal(probed(limited, ...times(5, witnessed)).label, 'filtered');
  });

  test('an answer keeps it filtered until five clean probes have halved it down', () => {
    assert.deepEqual(standing(probed(filtered, clean)), ['online', 'filtered', 15]);
    assert.deepEqual(standing(probed(filtered, ...times(20, clean))), ['online', 'none', 1]);
  });
});

describe('no label', () => {
  test('one reading of a kind is not enough for any, nor for offline', () => {
    for (const finding of [challenged, witnessed]) {
      const server = probed(online, alone, finding);
      assert.deepEqual(standing(server), ['online', 'none', 1]);
      assert.equal(server.nextProbeAt, server.lastProbeAt + 15_000);
      assert.equal(probed(server, alone).status, 'online');
      assert.equal(probed(server, alone, alone).status, 'offline');
    }
  });

  test('readings that disagree go on being asked, ever less often', () => {
    const server = probed(online, alone, witnessed, alone, witnessed);
    assert.equal(server.label, 'none');
    assert.ok(server.nextProbeAt - server.lastProbeAt >= MINUTE / 2);
  });

  test('a restart leaves no sign of a limit behind', () => {
    const back = probed(online, lossy, alone, alone, clean, lossy, lossy);
    assert.deepEqual(standing(back), ['online', 'none', 1]);
  });

  test('a prober that tells no signs is believed as ever', () => {
    const mute = { ...alone, signs: null };
    assert.deepEqual(standing(probed(online, mute, mute)), ['offline', 'none', 5]);
  });
});

/** Probes with what `finding` gives for so long; each record. */
function during(server: ServerRecord, ms: number, finding: (at: number) => ProbeFinding): ServerRecord[] {
  const records: ServerRecord[] = [];
  const end = server.nextProbeAt + ms;
  for (let record = server; record.nextProbeAt < end; ) {
    record = recordStatus(record, finding(record.nextProbeAt), record.nextProbeAt, MINUTE);
    records.push(record);
  }
  return records;
}

describe('long empty', () => {
  const empty = answer({ payload: payloadOf({ players: 0, playerList: [] }) });
  const records = during(pending, 3 * 60 * MINUTE, () => empty);

  test('after 30 to 36 minutes an empty server is asked every 5, without a label', () => {
    for (const { lastProbeAt, label, intervalMs } of records) {
      const minutes = (lastProbeAt - start) / MINUTE;
      assert.equal(label, 'none');
      if (minutes < 30) assert.equal(intervalMs, MINUTE, `after ${minutes}`);
      if (minutes > 37.5) assert.equal(intervalMs, 5 * MINUTE, `after ${minutes}`);
    }
  });

  test('a player brings back the healthy interval', () => {
    const last = records.at(-1) ?? pending;
    assert.deepEqual(standing(probed(last, clean)), ['online', 'none', 1]);
    assert.deepEqual(standing(probed(last, clean, empty)), ['online', 'none', 1]);
  });

  test('one that is labelled clears as well, to every 5', () => {
    const limited = probed(records.at(-1) ?? pending, ...times(3, { ...lossy, payload: empty.payload }));
    assert.deepEqual(standing(limited), ['online', 'rate_limited', 10]);
    assert.deepEqual(standing(probed(limited, ...times(5, empty))), ['online', 'none', 5]);
  });

  test('it counts anew after the server was offline', () => {
    const back = probed(records.at(-1) ?? pending, alone, alone, empty);
    assert.deepEqual(standing(back), ['online', 'none', 1]);
  });
});

describe('cached', () => {
  const [hours] = [3 * 60 * MINUTE];
  const labelsOf = (records: readonly ServerRecord[]) => new Set(records.map(({ label }) => label));

  test('the same players for the same time, for two hours', () => {
    const records = during(pending, hours, () => clean);
    const first = records.findIndex(({ label }) => label === 'cached');
    const minutes = ((records[first]?.lastProbeAt ?? 0) - start) / MINUTE;
    assert.ok(minutes >= 110 && minutes <= 125, `${minutes}`);
    assert.deepEqual(standing(records.at(-1) ?? pending), ['online', 'cached', 5]);
  });

  test('not where the time of a player goes on', () => {
    const records = during(pending, hours, at => {
      const playerList = [{ name: 'Ann', score: 0, time: Math.floor((at - start) / 1000) + 1 }];
      return answer({ payload: payloadOf({ playerList }) });
    });
    assert.deepEqual(labelsOf(records), new Set(['none']));
  });

  test('not where nobody says how long players have been on', () => {
    const still = answer({ payload: payloadOf({ playerList: [] }) });
    assert.deepEqual(labelsOf(during(pending, hours, () => still)), new Set(['none']));
  });

  test('not from two answers a day apart', () => {
    const late = recordStatus(online, clean, start + DAY, MINUTE);
    assert.equal(late.label, 'none');
  });

  test('it clears when other answers come', () => {
    const cached = during(pending, hours, () => clean).at(-1) ?? pending;
    const playing = (time: number) =>
      answer({ payload: payloadOf({ playerList: [{ name: 'Bob', score: 0, time }] }) });
    const findings = Array.from({ length: 15 }, (_, i) => playing(100 + i));
    assert.deepEqual(standing(probed(cached, ...findings.slice(1))), ['online', 'cached', 1.25]);
    assert.deepEqual(standing(probed(cached, ...findings)), ['online', 'none', 1]);
  });

  test('it explains no silence', () => {
    const cached = during(pending, hours, () => clean).at(-1) ?? pending;
    assert.deepEqual(standing(probed(cached, alone, alone)), ['offline', 'none', 5]);
  });
});
