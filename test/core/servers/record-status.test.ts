import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newRecord, type ProbeFinding, putOff, recordStatus } from '../../../core/servers/record-status.ts';
import type { ServerRecord } from '../../../core/servers/server-record.ts';
import { payloadOf } from '../payload-of.ts';

const MINUTE = 60_000;
const start = Date.UTC(2026, 0, 1);
const answered: ProbeFinding = { outcome: 'PROBE_OUTCOME_ONLINE', payload: payloadOf(), queryPort: 27016 };
const silent: ProbeFinding = { outcome: 'PROBE_OUTCOME_NO_REPLY', payload: null, queryPort: 0 };
const fault: ProbeFinding = { outcome: 'PROBE_OUTCOME_PROBER_FAULT', payload: null, queryPort: 0 };

/** Probes when it is due, with these findings one after the other. */
function probed(server: ServerRecord, ...findings: readonly ProbeFinding[]): ServerRecord {
  return findings.reduce(
    (record, finding) => recordStatus(record, finding, record.nextProbeAt, MINUTE),
    server,
  );
}

const fresh = newRecord('csgo', '1.2.3.4:27015', 'tok_1', start, MINUTE);
const online = probed(fresh, answered);
const data = (server: ServerRecord): Record<string, unknown> => JSON.parse(`${server.data}}`);

test('a new server is pending, due now and without data', () => {
  assert.deepEqual(
    [
      fresh.status,
      fresh.nextProbeAt,
      fresh.lastProbeAt,
      fresh.lastOnlineAt,
      fresh.failures,
      fresh.data.length,
    ],
    ['pending', start, 0, 0, 0, 0],
  );
  assert.equal(fresh.key, 'csgo 1.2.3.4:27015');
});

test('an answer makes it online, with the data and the port that answered', () => {
  assert.deepEqual(
    [
      online.status,
      online.failures,
      online.lastProbeAt,
      online.lastOnlineAt,
      online.queryPort,
      online.intervalMs,
    ],
    ['online', 0, start, start, 27016, MINUTE],
  );
  assert.equal(data(online).players, 3);
  assert.equal(online.version, fresh.version + 1);
});

test('pending stays pending after one failed probe, and is offline after two', () => {
  const once = probed(fresh, silent);
  assert.deepEqual([once.status, once.failures, once.lastProbeAt], ['pending', 1, start]);
  const twice = probed(once, silent);
  assert.deepEqual([twice.status, twice.failures, twice.data.length], ['offline', 2, 0]);
});

test('online stays online after one failed probe, and is offline after two', () => {
  const once = probed(online, silent);
  assert.deepEqual([once.status, once.lastOnlineAt], ['online', online.lastOnlineAt]);
  assert.equal(probed(once, silent).status, 'offline');
});

test('failures count only in a row', () => {
  const server = probed(online, silent, answered, silent);
  assert.deepEqual([server.status, server.failures], ['online', 1]);
});

for (const outcome of [
  'PROBE_OUTCOME_NO_REPLY',
  'PROBE_OUTCOME_MALFORMED',
  'PROBE_OUTCOME_REFUSED',
  'PROBE_OUTCOME_UNRESOLVABLE',
  'PROBE_OUTCOME_BLOCKED',
] as const) {
  test(`${outcome} is a failed probe`, () => {
    assert.equal(probed(online, { ...silent, outcome }, { ...silent, outcome }).status, 'offline');
  });
}

test('online without a payload, or no outcome at all, says nothing about the server', () => {
  for (const nonsense of [
    { ...answered, payload: null },
    { ...silent, outcome: 'PROBE_OUTCOME_UNSPECIFIED' as const },
  ]) {
    const { failures, status, lastProbeAt } = probed(fresh, nonsense, nonsense, nonsense);
    assert.deepEqual([failures, status, lastProbeAt], [0, 'pending', 0]);
  }
});

test('an offline server keeps its data and the time it was last online', () => {
  const offline = probed(online, silent, silent, silent);
  assert.deepEqual(offline.data, online.data);
  assert.equal(offline.lastOnlineAt, online.lastOnlineAt);
  assert.ok(offline.lastProbeAt > online.lastProbeAt);
});

test('the second look at a server that failed comes after 15 s, sooner where the interval is shorter', () => {
  assert.equal(probed(online, silent).nextProbeAt, online.nextProbeAt + 15_000);
  assert.equal(recordStatus(online, silent, start, 2_000).nextProbeAt, start + 2_000);
});

test('an offline server is asked ever more rarely: after 5, 10, 20, 30, 60 and then always 60 intervals', () => {
  const steps: number[] = [];
  let server = probed(online, silent);
  for (let i = 0; i < 7; i++) {
    server = probed(server, silent);
    steps.push(server.intervalMs / MINUTE);
    const wait = server.nextProbeAt - server.lastProbeAt;
    assert.ok(
      wait >= server.intervalMs / 2 && wait <= server.intervalMs * 1.5,
      `${wait} of ${server.intervalMs}`,
    );
  }
  assert.deepEqual(steps, [5, 10, 20, 30, 60, 60, 60]);
});

test('an offline server that answers is online again, at the healthy interval', () => {
  const back = probed(online, silent, silent, silent, { ...answered, payload: payloadOf({ players: 9 }) });
  assert.deepEqual([back.status, back.failures, back.intervalMs], ['online', 0, MINUTE]);
  assert.equal(back.lastOnlineAt, back.lastProbeAt);
  assert.equal(data(back).players, 9);
});

test("a prober's own fault changes nothing but the next probe", () => {
  for (const server of [fresh, online, probed(online, silent), probed(online, silent, silent)]) {
    const { nextProbeAt, version, ...rest } = recordStatus(server, fault, start + 1000, MINUTE);
    const { nextProbeAt: _, version: before, ...same } = server;
    assert.deepEqual(rest, same);
    assert.equal(nextProbeAt, start + 16_000);
    assert.equal(version, before + 1);
  }
});

test('the port that answered is remembered over one failure and forgotten once offline', () => {
  const once = probed(online, silent);
  assert.equal(once.queryPort, 27016);
  assert.equal(probed(once, silent).queryPort, 0);
});

test('what is put off is due at another time, and nothing else is changed', () => {
  const { nextProbeAt, version, ...rest } = putOff(online, start + 5);
  const { nextProbeAt: _, version: before, ...same } = online;
  assert.deepEqual([rest, nextProbeAt, version], [same, start + 5, before + 1]);
});

test('failures are counted up to 7', () => {
  assert.equal(probed(online, ...Array<ProbeFinding>(9).fill(silent)).failures, 7);
});
