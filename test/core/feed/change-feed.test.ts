import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ALL_FIELDS, type Transition, VISIBLE } from '../../../core/feed/transition.ts';
import { newRecord } from '../../../core/servers/record-status.ts';
import { payloadOf } from '../payload-of.ts';
import { ADDRESS, recorded } from '../schedule/recorded.ts';
import { feedOf } from './feed-of.ts';

const a = newRecord('csgo', '1.2.3.4:1', 'tok_1', 1000, 60_000);
const b = newRecord('rust', '1.2.3.4:2', 'tok_2', 1000, 60_000);

test('the change feed numbers each change, and notifies the listeners for the changed server, for its game and for all servers', () => {
  const feed = feedOf();
  const heard: Record<string, number[]> = { all: [], game: [], key: [] };
  const listen = (name: string) => (transition: Transition) => heard[name]?.push(transition.sequence);
  const stops = [
    feed.subscribe(listen('all')),
    feed.followGame('csgo', listen('game')),
    feed.followKeys([b.key], listen('key')),
  ];
  for (const server of [a, b, a]) feed.publishInsert(server);
  assert.deepEqual(heard, { all: [1, 2, 3], game: [1, 3], key: [2] });
  for (const stop of stops) stop();
  for (const server of [a, b]) feed.publishRemoval(server);
  assert.deepEqual(heard, { all: [1, 2, 3], game: [1, 3], key: [2] });
  assert.equal(feed.sequence, 5);
});

test('the change feed remembers a limited number of recent changes, and at most one change of each server', () => {
  const feed = feedOf(4);
  for (const server of [a, b, a, a, b]) feed.publishInsert(server);
  const { recent } = feed;
  assert.deepEqual(
    [0, 1, 5, 6].map(n => recent.hasAllAfter(n)),
    [false, true, true, false],
  );
  assert.deepEqual(
    [1, 2, 3, 4, 5].map(n => recent.newestAt(n)?.key),
    [undefined, undefined, undefined, a.key, b.key],
  );
  for (let n = 0; n < 4; n++) feed.publishInsert(b);
  assert.equal(recent.lastOf(a.key), 0);
  assert.equal(recent.lastOf(b.key), 9);
});

test('the change feed contains the insert, the visible changes and the removal of a server, but no probe without a visible change', async t => {
  const { feed, track, answer, report, store } = await recorded(t);
  const heard: Transition[] = [];
  feed.subscribe(transition => heard.push(transition));
  await track(ADDRESS);
  await track(ADDRESS);
  answer();
  answer();
  report('PROBE_OUTCOME_NO_REPLY');
  answer(ADDRESS, { payload: payloadOf({ players: 9 }) });
  await store.remove([`csgo ${ADDRESS}`]);
  assert.deepEqual(
    heard.map(({ sequence, before, after }) => [sequence, before?.status, after?.status]),
    [
      [1, undefined, 'pending'],
      [2, 'pending', 'online'],
      [3, 'online', 'online'],
      [4, 'online', undefined],
    ],
  );
  assert.deepEqual(
    [heard[0]?.fields, heard[2]?.fields, heard[3]?.fields],
    [ALL_FIELDS, VISIBLE.players, ALL_FIELDS],
  );
  // `before` must contain the data of the server before the change. This is not obvious, because the store has
  // overwritten its own copy of this data by now.
  assert.deepEqual(heard[2]?.before?.data, payloadOf().data());
  assert.deepEqual(heard[2]?.after?.data, payloadOf({ players: 9 }).data());
});

test('if gsq stops tracking a server that never answered, the change feed contains this removal', async t => {
  const { feed, track, failFor } = await recorded(t, 3);
  await track(ADDRESS);
  await track('5.5.5.5:27015');
  const heard: Transition[] = [];
  feed.followKeys([`csgo ${ADDRESS}`], transition => heard.push(transition));
  failFor(600, 'PROBE_OUTCOME_NO_REPLY');
  assert.deepEqual(
    heard.map(({ after }) => after?.status),
    ['offline', undefined],
  );
});
