import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { copyOpenHour, newRecord, putOff, recordUnknowable } from '../../../core/servers/record-status.ts';
import { isInDoubt, noHistory, type ServerRecord } from '../../../core/servers/server-record.ts';
import { payloadObject } from '../../../proto/codec/payload-object.ts';
import { payloadOf } from '../payload-of.ts';
import { offlineRecord, onlineRecord, silentRecord } from '../record-of.ts';

const MINUTE = 60_000;
const start = Date.UTC(2026, 0, 1);
const fresh = newRecord('csgo', '1.2.3.4:27015', 'tok_1', start, MINUTE);
const online = onlineRecord(fresh, start, { queryPort: 27016 });
const inDoubt = silentRecord(online, start + MINUTE);
const offline = offlineRecord(inDoubt, start + 2 * MINUTE);
const data = (server: ServerRecord) => payloadObject(server.data);

/** Returns the names of the fields that differ between two server records, in alphabetical order. */
function difference(before: ServerRecord, after: ServerRecord): string[] {
  const fields = Object.keys(before) as (keyof ServerRecord)[];
  return fields.filter(field => JSON.stringify(before[field]) !== JSON.stringify(after[field])).sort();
}

test('a new server is pending, is due for a probe immediately, and has no data', () => {
  const { insertedAt: _, ...record } = fresh;
  assert.deepEqual(record, {
    key: 'csgo 1.2.3.4:27015',
    gameId: 'csgo',
    address: '1.2.3.4:27015',
    insertedBy: 'tok_1',
    isPublic: false,
    status: 'pending',
    label: 'none',
    intervalMs: MINUTE,
    lastProbeAt: 0,
    lastOnlineAt: 0,
    nextProbeAt: start,
    reason: 'unprobed',
    history: noHistory,
    queryPort: 0,
    version: 1,
    data: Buffer.alloc(0),
    openHour: Buffer.alloc(0),
  });
  assert.equal(isInDoubt(fresh), false);
});

describe('an answer of a server', () => {
  test('makes the server online, and stores its data and the port that answered', () => {
    assert.deepEqual(
      [online.status, online.lastProbeAt, online.lastOnlineAt, online.queryPort, online.intervalMs],
      ['online', start, start, 27016, MINUTE],
    );
    assert.equal(data(online).players, 3);
    assert.equal(online.version, fresh.version + 1);
    const wait = online.nextProbeAt - start;
    assert.ok(wait >= MINUTE / 2 && wait <= 1.5 * MINUTE);
  });

  test('makes an offline server online again, with the normal probe interval', () => {
    const back = onlineRecord(offline, start + 3 * MINUTE, { payload: payloadOf({ players: 9 }) });
    assert.deepEqual([back.status, back.intervalMs, isInDoubt(back)], ['online', MINUTE, false]);
    assert.deepEqual([back.lastOnlineAt, data(back).players], [back.lastProbeAt, 9]);
  });

  test('makes the time of the next probe random if the server has the label `rate_limited`', () => {
    const limited: ServerRecord = { ...online, label: 'rate_limited', intervalMs: 4 * MINUTE };
    const phases = [1, 2, 3].map(i => onlineRecord(limited, start + i).nextProbeAt % (4 * MINUTE));
    assert.equal(new Set(phases).size, 3);
    const healthy = [1, 2, 3].map(i => onlineRecord(online, start + i).nextProbeAt % MINUTE);
    assert.equal(new Set(healthy).size, 1);
  });
});

describe('a probe without a valid reply', () => {
  test('does not change the status at first, and is repeated within 1.25 s', () => {
    for (const server of [fresh, online]) {
      const record = silentRecord(server, start + MINUTE, { reason: 'refused' });
      assert.deepEqual([record.status, record.reason, isInDoubt(record)], [server.status, 'refused', true]);
      assert.deepEqual([record.lastProbeAt, record.lastOnlineAt], [start + MINUTE, server.lastOnlineAt]);
      assert.deepEqual([record.intervalMs, record.queryPort], [server.intervalMs, server.queryPort]);
      assert.ok(record.nextProbeAt - record.lastProbeAt <= 1_250);
    }
  });

  test('is repeated within 1.25 s if the next probe can decide whether the server is offline', () => {
    const wait = (looks: number, isDecisive: boolean) =>
      silentRecord(online, start, { looks, isDecisive }).nextProbeAt - start;
    assert.ok(wait(15, false) >= 5_000);
    assert.ok(wait(15, true) <= 1_250);
  });

  test('is repeated after 0.5 to 1.5 probe intervals if the server list of the game publisher does not contain the server', () => {
    const wait = silentRecord(online, start, { reason: 'not_listed' }).nextProbeAt - start;
    assert.ok(wait >= MINUTE / 2 && wait <= 1.5 * MINUTE);
  });

  test('keeps the last server data when it makes the server offline', () => {
    assert.deepEqual([offline.status, offline.reason, offline.queryPort], ['offline', 'no_reply', 0]);
    assert.deepEqual(offline.data, online.data);
    assert.equal(offline.lastOnlineAt, start);
    assert.equal(offline.intervalMs, 10_000);
    const wait = offline.nextProbeAt - offline.lastProbeAt;
    assert.ok(wait >= 5_000 && wait <= 15_000, `${wait} ms`);
    assert.equal(offlineRecord(silentRecord(fresh, start), start).data.length, 0);
  });

  test('makes the probe interval of an offline server longer, step by step, up to one hour', () => {
    const steps: number[] = [];
    let server = offline;
    for (let i = 0; i < 300; i++) {
      const before = server;
      server = offlineRecord(server, server.nextProbeAt);
      const wait = server.nextProbeAt - server.lastProbeAt;
      assert.ok(wait >= server.intervalMs / 2 && wait <= server.intervalMs * 1.5);
      assert.ok(server.intervalMs >= before.intervalMs);
      if (server.intervalMs !== before.intervalMs) steps.push(server.intervalMs / MINUTE);
    }
    assert.deepEqual([server.intervalMs, server.data], [60 * MINUTE, online.data]);
    assert.ok(steps.length > 5);
  });

  test('sets a probe interval of 10 minutes (a third of the silence) if a new server is silent for 30 minutes', () => {
    assert.equal(offlineRecord(fresh, start + 30 * MINUTE).intervalMs, 10 * MINUTE);
  });

  test('resets only the count of loss-free probes in the probe history of an online server', () => {
    const server = { ...online, history: { ...online.history, answers: 9, limitEvidence: 4, emptyTicks: 3 } };
    assert.deepEqual(silentRecord(server, start + MINUTE).history, { ...server.history, clean: 0 });
  });
});

describe('a probe that could not query the server', () => {
  test('stores the reason, and does not change the status of the server', () => {
    for (const server of [fresh, online, inDoubt, offline]) {
      const record = recordUnknowable(server, 'needs_credentials', 0, start + 3 * MINUTE, MINUTE);
      const changes = difference(server, record).filter(field => field !== 'intervalMs');
      assert.deepEqual(changes, ['lastProbeAt', 'nextProbeAt', 'reason', 'version']);
      assert.deepEqual([record.reason, record.lastProbeAt], ['needs_credentials', start + 3 * MINUTE]);
    }
  });

  test('is repeated at normal intervals for an online server, and at growing intervals for other servers', () => {
    const later = start + 60 * MINUTE;
    const interval = (server: ServerRecord, now: number) =>
      recordUnknowable(server, 'directory_unavailable', 0, now, MINUTE).intervalMs / MINUTE;
    assert.deepEqual([interval(online, start + MINUTE), interval(online, later)], [1, 1]);
    assert.deepEqual([interval(fresh, start + MINUTE), interval(fresh, later)], [1, 20]);
    assert.deepEqual([interval(offline, start + MINUTE), interval(offline, later)], [1, 20]);
  });

  test('is not repeated before the time `retryAfterMs` has passed', () => {
    const now = start + MINUTE;
    const record = recordUnknowable(online, 'paced', 3_600_000, now, MINUTE);
    assert.equal(record.nextProbeAt, now + 3_600_000);
    assert.ok(recordUnknowable(online, 'paced', 1_000, now, MINUTE).nextProbeAt >= now + MINUTE / 2);
  });
});

test('putOff, which postpones a probe, changes only the due time and the version of a record', () => {
  const later = putOff(online, start + 5);
  assert.deepEqual(difference(online, later), ['nextProbeAt', 'version']);
  assert.deepEqual([later.nextProbeAt, later.version], [start + 5, online.version + 1]);
});

test('after copyOpenHour(), a changed server record shares no memory with the record before the change', () => {
  const data = Buffer.from(online.data);
  const openHour = Buffer.from('samples');
  const server = { ...online, data, openHour };
  const changed = [silentRecord(server, start), recordUnknowable(server, 'paced', 0, start, MINUTE)];
  const records = [putOff(server, start), ...changed];
  for (const record of changed) copyOpenHour(record);
  data.fill(0);
  openHour.fill(0);
  for (const record of records) {
    assert.deepEqual(record.data, online.data);
    assert.equal(Buffer.from(record.openHour).toString(), 'samples');
  }
});
