import assert from 'node:assert/strict';
import { test } from 'node:test';
import { showAt } from '../../../core/servers/freshness.ts';
import { newRecord, recordUnknowable } from '../../../core/servers/record-status.ts';
import { reasons, type ServerRecord } from '../../../core/servers/server-record.ts';
import { viewOf } from '../../../core/servers/server-view.ts';
import { offlineRecord, onlineRecord, silentRecord } from '../record-of.ts';

const MINUTE = 60_000;
const at = Date.UTC(2026, 0, 1);
const rules = { staleAfterMs: 600_000, probeIntervalMs: MINUTE };
const pending = newRecord('csgo', '1.2.3.4:27015', 'tok_1', at, MINUTE);
const online = onlineRecord(pending, at);
const offline = offlineRecord(online, at + MINUTE);

/**
 * Returns the status and other fields that an answer shows for `record` at the time `now`. The record gets row 7 of the
 * server table. In the result, `slot` is 7 if the answer can use the cached text of the server, and -1 if it cannot.
 */
function shownAt(record: ServerRecord, now: number) {
  const view = { ...viewOf(record), slot: 7 };
  const stale = showAt(view, now, rules);
  const { status, reason, slot } = view;
  return { status, reason, slot, stale };
}
const staleAt = (record: ServerRecord, now: number) => shownAt(record, now).stale;

test('the data of a server is stale if its last answer is more than 600 s old', () => {
  assert.equal(staleAt(online, at + 600_000), undefined);
  assert.deepEqual(staleAt(online, at + 600_001), {
    reason: 'probe_delayed',
    ageSeconds: 600,
    thresholdSeconds: 600,
    lastSuccessAt: at,
  });
});

test('if the probe interval is 5 minutes, the data of an online server becomes stale after 15 minutes', () => {
  const rare = onlineRecord(pending, at, {}, 5 * MINUTE);
  assert.equal(staleAt(rare, at + 15 * MINUTE), undefined);
  assert.equal(staleAt(rare, at + 15 * MINUTE + 1)?.thresholdSeconds, 900);
});

test('the data of an offline server becomes stale after 600 s, even if its probe interval is longer', () => {
  const longOffline = { ...offline, intervalMs: 20 * MINUTE };
  assert.equal(staleAt(longOffline, at + 600_000), undefined);
  assert.deepEqual(staleAt(longOffline, at + 601_999), {
    reason: 'offline',
    ageSeconds: 601,
    thresholdSeconds: 600,
    lastSuccessAt: at,
  });
});

test('a rarely probed server is shown as online for three probe intervals, even if it did not answer its last probe', () => {
  const rare = { ...online, label: 'rate_limited', intervalMs: 15 * MINUTE } as const;
  for (const record of [rare, silentRecord(rare, at + 15 * MINUTE)]) {
    assert.equal(shownAt(record, at + 45 * MINUTE).status, 'online');
    assert.equal(shownAt(record, at + 45 * MINUTE + 1).status, 'pending');
  }
});

test('a server without any probe is shown with its stored status and reason, however old its record is', () => {
  const { status, reason, slot, stale } = shownAt(pending, at + 100 * MINUTE);
  assert.deepEqual([status, reason, slot, stale], ['pending', 'unprobed', 7, undefined]);
});

test('an offline server that was not probed for three probe intervals (at least 600 s) is shown as pending with the reason `prober_unavailable`', () => {
  const never = offlineRecord(pending, at + MINUTE);
  const rare = { ...offline, intervalMs: 20 * MINUTE };
  for (const [record, limit] of [
    [offline, 10 * MINUTE],
    [never, 10 * MINUTE],
    [rare, 60 * MINUTE],
  ] as const) {
    const fresh = shownAt(record, record.lastProbeAt + limit);
    assert.deepEqual([fresh.status, fresh.reason, fresh.slot], ['offline', 'no_reply', 7]);
    const { status, reason, slot, stale } = shownAt(record, record.lastProbeAt + limit + 1);
    assert.deepEqual([status, reason, slot], ['pending', 'prober_unavailable', -1]);
    assert.equal(stale?.reason, record === never ? undefined : 'unknowable');
  }
});

test('an online server that was not probed for over 600 s is shown as pending with the reason `prober_unavailable`', () => {
  const fresh = shownAt(online, at + 600_000);
  assert.deepEqual([fresh.status, fresh.slot], ['online', 7]);
  const { status, reason, stale, slot } = shownAt(online, at + 600_001);
  assert.deepEqual([status, reason, stale?.reason], ['pending', 'prober_unavailable', 'probe_delayed']);
  assert.equal(slot, -1, 'the cached fragment contains the stored status');
});

test('an online server that gsq could not query for 600 s is shown as pending, with the reason why the last probe failed', () => {
  const shown = reasons.flatMap(reason => {
    const {
      status,
      reason: told,
      stale,
    } = shownAt(recordUnknowable(online, reason, 0, at + MINUTE, MINUTE), at + 600_001);
    assert.deepEqual([status, stale?.reason], ['pending', 'unknowable']);
    return told === reason ? [reason] : [];
  });
  assert.deepEqual(shown, [
    'unresolvable_host',
    'blocked_address',
    'needs_credentials',
    'needs_option',
    'directory_unavailable',
    'directory_refused',
    'paced',
    'prober_unavailable',
  ]);
});

test('an online server whose probes got no reply for over 600 s is shown as pending with the reason `prober_unavailable`', () => {
  const { status, reason, stale } = shownAt(silentRecord(online, at + MINUTE), at + 600_001);
  assert.deepEqual([status, reason, stale?.reason], ['pending', 'prober_unavailable', 'unknowable']);
});

test('after a server has answered again, the reason of an earlier failed probe is no longer shown', () => {
  const again = onlineRecord(recordUnknowable(online, 'paced', 0, at + 1, MINUTE), at + 2);
  assert.equal(shownAt(again, at + 600_003).reason, 'prober_unavailable');
});

test('an offline server is shown as pending if its last probe could not query it for a reason other than a rate limit', () => {
  for (const server of [offline, offlineRecord(pending, at)]) {
    const unasked = recordUnknowable(server, 'directory_unavailable', 0, at + 2 * MINUTE, MINUTE);
    const { status, reason, slot } = shownAt(unasked, at + 3 * MINUTE);
    assert.deepEqual([status, reason, slot], ['pending', 'directory_unavailable', -1]);
    const paced = shownAt(recordUnknowable(server, 'paced', 0, at + 2 * MINUTE, MINUTE), at + 3 * MINUTE);
    assert.deepEqual([paced.status, paced.reason], ['offline', 'no_reply']);
  }
});

test('an offline server that is still probed is shown as offline with its reason, however old its data is', () => {
  const refused = {
    ...offlineRecord(online, at + MINUTE, { reason: 'refused' }),
    lastProbeAt: at + 1e9 - MINUTE,
  };
  const { status, reason, slot } = shownAt(refused, at + 1e9);
  assert.deepEqual([status, reason, slot], ['offline', 'refused', 7]);
});
