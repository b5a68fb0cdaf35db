import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unknownGame } from '../../../core/servers/pair-check.ts';
import { ADDRESS, answerTo, at, invalidOf, onlineOf, pairOf, pendingOf, textOf } from './decoded-answer.ts';

test('a REST answer contains the addresses as the caller wrote them, in the order of their first appearance', () => {
  const record = onlineOf('csgo');
  const { servers, meta } = answerTo(
    pairOf('csgo', record, 'B:1'),
    pairOf('csgo', record, 'a:1'),
    invalidOf('nope', 'c'),
  );
  assert.deepEqual(
    servers.map(({ server }) => server),
    ['B:1', 'a:1', 'c'],
  );
  assert.equal(servers[0]?.payload.name, 'csgo');
  assert.deepEqual(meta, {
    auto_inserted: 0,
    inserted_servers: [],
    invalid_servers: [{ game_id: 'nope', server: 'c', ...unknownGame }],
  });
});

test('`_meta` of a REST answer lists and counts the servers that the request inserted', () => {
  const { meta } = answerTo(
    { ...pairOf('csgo', pendingOf('csgo')), inserted: true },
    pairOf('css', onlineOf('css'), 'x:1'),
    { ...pairOf('tf2', pendingOf('tf2'), 'y:1'), inserted: true },
  );
  assert.deepEqual(meta, {
    auto_inserted: 2,
    inserted_servers: [
      { game_id: 'csgo', server: ADDRESS },
      { game_id: 'tf2', server: 'y:1' },
    ],
    invalid_servers: [],
  });
});

test('an invalid pair of game and address has an error message and the status `invalid`', () => {
  const [shown] = answerTo(invalidOf('nope')).servers;
  assert.equal(shown?.payload.message, unknownGame.message);
  assert.equal(shown?.payload._updater.status, 'invalid');
});

test('if a request contains the address `_meta`, the REST answer lists it as invalid and keeps its own object `_meta`', () => {
  const { servers, meta } = answerTo(invalidOf('csgo', '_meta'), pairOf('csgo', onlineOf('csgo')));
  assert.deepEqual(
    servers.map(({ server }) => server),
    [ADDRESS],
  );
  assert.deepEqual(meta.invalid_servers, [{ game_id: 'csgo', server: '_meta', ...unknownGame }]);
});

test('addresses such as __proto__ are ordinary keys of a REST answer', () => {
  const names = ['__proto__', 'constructor', 'toString', ''];
  const { servers, meta } = answerTo(...names.map(name => invalidOf('csgo', name)));
  assert.deepEqual(
    servers.map(({ server }) => server),
    names,
  );
  assert.equal(meta.invalid_servers?.length, 4);
});

test('if a server is removed during a request, its entry in the REST answer has a message about the removal', () => {
  const [shown] = answerTo({ gameId: 'csgo', server: ADDRESS, inserted: false }).servers;
  assert.match(shown?.payload.message ?? '', /removed/);
});

test('the entry of a server with stale data contains the key `_stale`', () => {
  const answer = JSON.parse(textOf([pairOf('csgo', onlineOf('csgo'))], at + 700_000));
  assert.equal(answer[ADDRESS]._stale.age_seconds, 700);
});
