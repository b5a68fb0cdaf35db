import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recordUnknowable } from '../../../core/servers/record-status.ts';
import type { ServerRecord } from '../../../core/servers/server-record.ts';
import { offlineRecord, silentRecord } from '../record-of.ts';
import { find, giveUp, HOUR, MINUTE, NAME, openedGivenUp, pendingOf } from './opened-given-up-servers.ts';

test('a fetch of a server that gsq stopped tracking returns its status and the time of the next attempt', async t => {
  const { clock, givenUp } = await openedGivenUp(t);
  const inserted = pendingOf(NAME, clock.at);
  clock.at += 40_000;
  const offline = offlineRecord(inserted, clock.at, { reason: 'refused' });
  const added = givenUp.addServer(silentRecord(inserted, clock.at - 1), offline);
  assert.deepEqual(find(givenUp, NAME), added);
  assert.deepEqual(added, {
    ...inserted,
    status: 'offline',
    reason: 'refused',
    intervalMs: HOUR,
    lastProbeAt: clock.at,
    nextProbeAt: clock.at + HOUR,
  });
  assert.equal(find(givenUp, '1.2.3.4:27015'), undefined);
  assert.equal(givenUp.find(`css ${NAME}`, []), undefined);
});

test('a server that gsq stopped tracking has the status pending if no probe could query it', async t => {
  const { clock, givenUp } = await openedGivenUp(t);
  const pending = pendingOf(NAME, clock.at);
  clock.at += 2 * HOUR;
  const added = givenUp.addServer(
    pending,
    recordUnknowable(pending, 'unresolvable_host', 0, clock.at, MINUTE),
  );
  assert.deepEqual([added.status, added.reason, added.intervalMs], ['pending', 'unresolvable_host', HOUR]);
});

test('gsq doubles the pause between attempts to track a server that never answers, from one hour to one day', async t => {
  const { clock, givenUp } = await openedGivenUp(t);
  giveUp(givenUp, NAME, clock.at);
  const pauses: number[] = [];
  for (let i = 0; i < 8; i++) {
    const due: ServerRecord[] = [];
    const { nextProbeAt = 0 } = find(givenUp, NAME) ?? {};
    pauses.push((nextProbeAt - clock.at) / HOUR);
    clock.at = nextProbeAt - 1;
    givenUp.find(`csgo ${NAME}`, due);
    assert.deepEqual(due, []);
    clock.at++;
    const record = givenUp.find(`csgo ${NAME}`, due);
    assert.deepEqual(due, [record]);
    assert.equal(record?.nextProbeAt, clock.at);
    // Simulates one more failed attempt: gsq tracks the given-up server again, probes it, and then stops tracking it.
    assert.ok(record && givenUp.forget(record.key));
    givenUp.addServer(record, offlineRecord(record, clock.at));
  }
  assert.deepEqual(pauses, [1, 2, 4, 8, 16, 24, 24, 24]);
});

test('gsq immediately tries a server again if a wrong clock set the next attempt years in the future', async t => {
  const { clock, givenUp } = await openedGivenUp(t);
  const right = clock.at;
  clock.at += 1e11;
  giveUp(givenUp, NAME, clock.at);
  clock.at = right;
  const due: ServerRecord[] = [];
  givenUp.find(`csgo ${NAME}`, due);
  assert.equal(due.length, 1);
});

test('if the list of untracked servers is full, a new entry replaces the least recently fetched server', async t => {
  const { clock, givenUp, stored } = await openedGivenUp(t, 3);
  for (const port of [1, 2, 3]) giveUp(givenUp, `1.2.3.4:${port}`, clock.at);
  find(givenUp, '1.2.3.4:1');
  giveUp(givenUp, '1.2.3.4:4', clock.at);
  assert.equal(givenUp.size, 3);
  assert.deepEqual(
    [1, 2, 3, 4].map(port => find(givenUp, `1.2.3.4:${port}`) !== undefined),
    [true, false, true, true],
  );
  assert.deepEqual(
    (await stored()).map(([key]) => key),
    ['n/csgo 1.2.3.4:1', 'n/csgo 1.2.3.4:3', 'n/csgo 1.2.3.4:4'],
  );
});

test('GivenUpServers.forget() deletes a server that gsq stopped tracking, both in memory and in the store', async t => {
  const { clock, givenUp, stored } = await openedGivenUp(t);
  giveUp(givenUp, NAME, clock.at);
  assert.deepEqual([givenUp.forget(`csgo ${NAME}`), givenUp.forget(`csgo ${NAME}`)], [true, false]);
  assert.deepEqual([givenUp.size, find(givenUp, NAME), await stored()], [0, undefined, []]);
});
