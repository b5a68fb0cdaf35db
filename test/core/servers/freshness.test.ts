import assert from 'node:assert/strict';
import { test } from 'node:test';
import { staleness } from '../../../core/servers/freshness.ts';
import { newRecord, recordStatus } from '../../../core/servers/record-status.ts';
import type { ServerRecord } from '../../../core/servers/server-record.ts';
import { payloadOf } from '../payload-of.ts';

const MINUTE = 60_000;
const at = Date.UTC(2026, 0, 1);
const rules = { staleAfterMs: 600_000, probeIntervalMs: MINUTE };
const silent = { outcome: 'PROBE_OUTCOME_NO_REPLY', payload: null, queryPort: 0 } as const;
const pending = newRecord('csgo', '1.2.3.4:27015', 'tok_1', at, MINUTE);

function onlineWith(probeIntervalMs: number): ServerRecord {
  const finding = { outcome: 'PROBE_OUTCOME_ONLINE', payload: payloadOf(), queryPort: 27015 } as const;
  return recordStatus(pending, finding, at, probeIntervalMs);
}
const online = onlineWith(MINUTE);
const offline = [1, 2, 3, 4].reduce(record => recordStatus(record, silent, at + MINUTE, MINUTE), online);

test('a payload is stale once its last success is older than 600 s, and not before', () => {
  assert.equal(staleness(online, at + 600_000, rules), undefined);
  assert.deepEqual(staleness(online, at + 600_001, rules), {
    reason: 'probe_delayed',
    ageSeconds: 600,
    thresholdSeconds: 600,
    lastSuccessAt: at,
  });
});

test('three intervals are the threshold where they are longer', () => {
  const rare = onlineWith(5 * MINUTE);
  assert.equal(staleness(rare, at + 15 * MINUTE, rules), undefined);
  assert.equal(staleness(rare, at + 15 * MINUTE + 1, rules)?.thresholdSeconds, 900);
});

test('the backoff of an offline server hides nothing', () => {
  assert.equal(offline.intervalMs, 20 * MINUTE);
  assert.equal(staleness(offline, at + 600_000, rules), undefined);
  assert.deepEqual(staleness(offline, at + 601_999, rules), {
    reason: 'offline',
    ageSeconds: 601,
    thresholdSeconds: 600,
    lastSuccessAt: at,
  });
});

test('nor does the rare asking of one that is online and does not answer', () => {
  const filtered = {
    ...online,
    label: 'filtered',
    intervalMs: 15 * MINUTE,
    lastProbeAt: at + MINUTE,
  } as const;
  assert.equal(staleness(filtered, at + 600_000, rules), undefined);
  assert.equal(staleness(filtered, at + 600_001, rules)?.reason, 'probe_delayed');
  assert.equal(staleness({ ...filtered, lastProbeAt: at }, at + 45 * MINUTE, rules), undefined);
});

test('a server that never answered has nothing to be stale', () => {
  assert.equal(staleness(pending, at + 100 * MINUTE, rules), undefined);
  const gone = recordStatus(recordStatus(pending, silent, at, MINUTE), silent, at, MINUTE);
  assert.equal(gone.status, 'offline');
  assert.equal(staleness(gone, at + 100 * MINUTE, rules), undefined);
});
