import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VISIBLE } from '../../../core/feed/transition.ts';
import { changedFields } from '../../../core/feed/visible-fields.ts';
import { newRecord, recordUnknowable } from '../../../core/servers/record-status.ts';
import type { ServerRecord } from '../../../core/servers/server-record.ts';
import type { ServerPayload__Output } from '../../../proto/generated/gsq/v1/ServerPayload.ts';
import { payloadOf } from '../payload-of.ts';
import { offlineRecord, onlineRecord, silentRecord } from '../record-of.ts';

const MINUTE = 60_000;
const NOW = Date.UTC(2026, 0, 1);
const rules = { staleAfterMs: 10 * MINUTE, probeIntervalMs: MINUTE };
const pending = newRecord('csgo', '1.2.3.4:1', 'tok_1', NOW, MINUTE);

/**
 * Returns the record of a server that answered at the time `at`. `change`: differences from the default payload
 * (`payloadOf`).
 */
const answered = (change: Partial<ServerPayload__Output> = {}, at = NOW) =>
  onlineRecord(pending, at, { payload: payloadOf(change) });

/**
 * Returns which visible fields change when a server answers with `payloadOf(change)` at the time `at` (Unix ms).
 * Visible fields are the fields whose changes gsq reports. `before`: record of the server before this answer.
 */
const changedByAnswer = (before: ServerRecord, change: Partial<ServerPayload__Output>, at: number) =>
  changedFields(before, answered(change, at), payloadOf(change).visibleEnd, at, rules);

/**
 * Simulates two answers of a server: `payloadOf(first)`, and then the same answer with the new fields in `change`.
 * Returns the visible fields (fields whose changes gsq reports) in which the two answers differ.
 */
const changedBy = (change: Partial<ServerPayload__Output>, first: Partial<ServerPayload__Output> = {}) =>
  changedByAnswer(answered(first), { ...first, ...change }, NOW + MINUTE);

test('ping, play times, bots and the join address are not visible fields: changes of them are not reported', () => {
  assert.equal(changedBy({}), 0);
  assert.equal(changedBy({ ping: 200 }), 0);
  assert.equal(changedBy({ ping: 0, connect: '' }), 0);
  assert.equal(changedBy({ playerList: [] }), 0);
  assert.equal(changedBy({ numbots: 0 }), 0);
  assert.equal(changedBy({ connect: '9.9.9.9:1' }, { version: '', password: false }), 0);
});

test('each visible field of a payload has its own bit, which is set if the field changes', () => {
  assert.equal(changedBy({ players: 4 }), VISIBLE.players);
  assert.equal(changedBy({ players: 0 }), VISIBLE.players);
  assert.equal(changedBy({ map: 'de_dust3' }), VISIBLE.map);
  assert.equal(changedBy({ map: '' }), VISIBLE.map);
  assert.equal(changedBy({ name: 'One' }), VISIBLE.name);
  assert.equal(changedBy({ maxplayers: 300 }), VISIBLE.maxplayers);
  assert.equal(changedBy({ version: '' }), VISIBLE.version);
  assert.equal(changedBy({ version: '2' }, { version: '' }), VISIBLE.version);
  assert.equal(changedBy({ password: true }), VISIBLE.password);
  assert.equal(changedBy({ password: false }, { password: true, version: '' }), VISIBLE.password);
  assert.equal(changedBy({ players: 4, map: 'x' }), VISIBLE.players | VISIBLE.map);
});

test('if the values of the fields `name` and `map` are swapped, both fields count as changed', () => {
  assert.equal(changedBy({ name: '', map: 'a' }, { name: 'a', map: '' }), VISIBLE.name | VISIBLE.map);
});

test('the first answer of a server changes its status and all fields that the server reports', () => {
  const fields = changedByAnswer(pending, { password: false, version: '' }, NOW);
  const { status, players, map, name, maxplayers } = VISIBLE;
  assert.equal(fields, status | players | map | name | maxplayers);
});

test('a probe without an answer changes no visible field, except the status if the server is now offline', () => {
  const online = answered();
  assert.equal(changedFields(online, silentRecord(online, NOW + 1), undefined, NOW + 1, rules), 0);
  assert.equal(
    changedFields(online, offlineRecord(online, NOW + 1), undefined, NOW + 1, rules),
    VISIBLE.status,
  );
});

test('the visible status of an offline server changes when gsq learns that queries of this server need credentials', () => {
  const offline = offlineRecord(answered(), NOW + 1);
  const unknowable = recordUnknowable(offline, 'needs_credentials', 0, NOW + 2, MINUTE);
  assert.equal(changedFields(offline, unknowable, undefined, NOW + 2, rules), VISIBLE.status);
});

test('the visible status of a server changes if the server answers after its data became stale', () => {
  const late = NOW + 11 * MINUTE;
  assert.equal(changedByAnswer(answered(), {}, late), VISIBLE.status);
  const soon = NOW + 10 * MINUTE;
  assert.equal(changedByAnswer(answered(), {}, soon), 0);
});
