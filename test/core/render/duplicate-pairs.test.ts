import assert from 'node:assert/strict';
import { test } from 'node:test';
import { offlineRecord } from '../record-of.ts';
import { ADDRESS, answerAt, answerTo, at, invalidOf, onlineOf, pairOf, pendingOf } from './decoded-answer.ts';

test('if one of two requested games at an address is online, the answer shows this game and lists the other as a duplicate', () => {
  const pending = pairOf('csgo', pendingOf('csgo'));
  const online = pairOf('css', onlineOf('css'));
  for (const pairs of [
    [pending, online],
    [online, pending],
  ]) {
    const { servers, meta } = answerTo(...pairs);
    assert.deepEqual(
      servers.map(({ payload }) => payload.name),
      ['css'],
    );
    assert.deepEqual(meta.duplicate_servers, [{ game_id: 'csgo', server: ADDRESS }]);
  }
});

test('if an address is online under two requested games, the answer shows the game that was requested first', () => {
  const { servers, meta } = answerTo(
    pairOf('css', onlineOf('css')),
    pairOf('csgo', onlineOf('csgo')),
    pairOf('tf2', pendingOf('tf2')),
  );
  assert.equal(servers[0]?.payload.name, 'css');
  assert.deepEqual(meta.duplicate_servers, [
    { game_id: 'csgo', server: ADDRESS },
    { game_id: 'tf2', server: ADDRESS },
  ]);
});

test('if two games are requested for an address, the answer shows the online game until 600 s after its last reply', () => {
  const offline = pairOf('csgo', offlineRecord(onlineOf('csgo'), at));
  const online = pairOf('css', onlineOf('css'));
  const shownAt = (now: number) =>
    answerAt(now, [offline, online]).servers.map(({ payload }) => payload.name);
  assert.deepEqual(shownAt(at + 600_000), ['css']);
  assert.deepEqual(shownAt(at + 600_001), ['csgo']);
});

test('if an address is requested under a known and an unknown game, the answer shows the known game and lists no duplicate', () => {
  const valid = pairOf('csgo', pendingOf('csgo'));
  for (const pairs of [
    [valid, invalidOf('nope')],
    [invalidOf('nope'), valid],
  ]) {
    const { servers, meta } = answerTo(...pairs);
    assert.deepEqual(
      servers.map(({ payload }) => payload._updater.status),
      ['pending'],
    );
    assert.equal(meta.duplicate_servers, undefined);
    assert.equal(meta.invalid_servers?.length, 1);
  }
});

test('if a server is requested under the id and an alias of one game, the answer lists no duplicate', () => {
  const record = onlineOf('csgo');
  const { servers, meta } = answerTo(pairOf('csgo', record), pairOf('oldcsgo', record));
  assert.equal(servers.length, 1);
  assert.equal('duplicate_servers' in meta, false);
});
