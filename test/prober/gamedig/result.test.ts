import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readResult } from '../../../prober/gamedig/result.ts';

const STATE = { name: 'A', map: 'm', password: false, version: '1', maxplayers: 8, numplayers: 2, ping: 12 };

test('gsq reads all status fields of a gamedig result, even fields that only some protocols have', () => {
  const players = [
    { name: 'Ann', raw: { score: '7', time: 61.5 } },
    { name: 'Bob', raw: { frags: -2 } },
  ];
  const answer = readResult(
    { ...STATE, players, bots: [{}], password: '0', connect: '192.0.2.1:7777' },
    27015,
    'hytale',
  );
  assert.deepEqual(answer, {
    kind: 'online',
    ping: 12,
    status: {
      name: 'A',
      map: 'm',
      players: 2,
      maxplayers: 8,
      numbots: 1,
      password: false,
      version: '1',
      connectPort: 7777,
      playerList: [{ name: 'Ann', score: 7, time: 61.5 }, { name: 'Bob', score: -2 }, { name: '' }],
    },
  });
});

test('if the player count of a gamedig result is 0, gsq counts the players in the player list', () => {
  const answer = readResult(
    { ...STATE, maxplayers: '32', numplayers: 0, players: [{ name: 'x' }] },
    1,
    'ffow',
  );
  assert.ok(answer.kind === 'online' && answer.status.maxplayers === 32 && answer.status.players === 1);
});

test('the player counts are unknown if a gamedig result contains none', () => {
  const { numplayers: _, maxplayers: __, ...uncounted } = STATE;
  const answer = readResult(uncounted, 1, 'assettocorsa');
  assert.ok(answer.kind === 'online');
  assert.deepEqual([answer.status.players, answer.status.maxplayers], [undefined, undefined]);
});

test('the maximum number of players is unknown if it is 0 in a gamedig result', () => {
  const answer = readResult({ ...STATE, maxplayers: 0 }, 1, 'discord');
  assert.ok(answer.kind === 'online');
  assert.deepEqual([answer.status.players, answer.status.maxplayers], [2, undefined]);
});

test('the player counts of a Satisfactory server are unknown if its HTTPS API did not answer gamedig', () => {
  const byUdp = { ...STATE, name: 'Factory', map: '', numplayers: 0, maxplayers: 0, raw: { serverState: 3 } };
  const closed = readResult(byUdp, 7777, 'satisfactory');
  assert.ok(closed.kind === 'online');
  assert.deepEqual(
    [closed.status.name, closed.status.players, closed.status.maxplayers],
    ['Factory', undefined, undefined],
  );
  const http = { serverGameState: { numConnectedPlayers: 0, playerLimit: 4 } };
  const open = readResult({ ...byUdp, maxplayers: 4, raw: { ...byUdp.raw, http } }, 7777, 'satisfactory');
  assert.ok(open.kind === 'online');
  assert.deepEqual([open.status.players, open.status.maxplayers], [0, 4]);
});

test('gsq accepts a player count of 0 in a gamedig result only if the raw reply contains a player count', () => {
  const replies: [protocol: string, without: object, withThem: object][] = [
    ['buildandshoot', {}, { players: [] }],
    ['farmingsimulator', { data: '<Server><Slots/></Server>' }, { data: '<Slots capacity="8" numUsed="0">' }],
    ['fivem', { sv_maxclients: '32' }, { sv_maxclients: '32', clients: '0', iv: '1' }],
    ['hytale', { server: {} }, { server: {}, universe: { CurrentPlayers: 0 } }],
    ['satisfactory', { serverState: 3 }, { serverState: 3, http: {} }],
    ['soldat', { response: 'Map: Arena' }, { response: 'Players: 0\r\nMap: Arena' }],
    ['starmade', { data: [1, '0.2', 'Named'] }, { data: [1, '0.2', 'Named', '', 5, 0, 8] }],
  ];
  for (const [protocol, without, withThem] of replies) {
    const playersOf = (raw: object, more = {}) => {
      const answer = readResult({ ...STATE, numplayers: 0, raw, ...more }, 1, protocol);
      return answer.kind === 'online' ? answer.status.players : answer.kind;
    };
    assert.deepEqual([playersOf(without), playersOf(withThem)], [undefined, 0], protocol);
    assert.equal(playersOf(without, { players: [{ name: 'Ann' }] }), 1, `the list of ${protocol} tells`);
  }
});

test('gsq reports no version if the version in a gamedig result is the text `undefined` or `null`', () => {
  for (const version of ['undefined', 'null']) {
    const answer = readResult({ ...STATE, version }, 1, 'assettocorsa');
    assert.ok(answer.kind === 'online' && answer.status.version === '');
  }
});

test('gsq reads a value from the raw reply in a gamedig result if gamedig omits the value or reports a wrong value', () => {
  const statusOf = (protocol: string, raw: object) => {
    const answer = readResult({ ...STATE, raw }, 1, protocol);
    assert.ok(answer.kind === 'online');
    const { map, password, version, players } = answer.status;
    return { map, password, version, players };
  };
  const usual = { map: 'm', password: false, version: '1', players: 2 };
  const world = { serverversion: 'v1.4.4.9', world: 'Hallow', serverpassword: true };
  assert.deepEqual(statusOf('terraria', world), {
    ...usual,
    map: 'Hallow',
    password: true,
    version: 'v1.4.4.9',
  });
  assert.equal(statusOf('terraria', { ...world, serverpassword: false }).password, false);
  const info = { server: 'FXServer-master SERVER v1.0.0.5181 win32', version: 1081559699 };
  assert.deepEqual(statusOf('fivem', { info }), { ...usual, version: '1.0.0.5181' });
  assert.equal(statusOf('fivem', { info: { version: 1081559699 } }).version, '');
  assert.deepEqual(statusOf('eldewrito', { passworded: true, numPlayers: 3 }), {
    ...usual,
    password: true,
    players: 3,
  });
  for (const raw of [{}, { numPlayers: -1 }]) assert.deepEqual(statusOf('eldewrito', raw), usual);
});

test('a gamedig result is malformed if name, map and maximum number of players are all missing, or if a count is invalid', () => {
  for (const state of [
    { ...STATE, name: '', map: '', maxplayers: 0 },
    { ...STATE, name: '\u0000 \ufffd', map: '\u0007', maxplayers: 0 },
    { ...STATE, maxplayers: Number.NaN },
    { ...STATE, numplayers: 'many' },
    { ...STATE, numplayers: -1 },
    { ...STATE, maxplayers: 4e9 },
    {},
    null,
    'text',
  ]) {
    assert.equal(readResult(state, 1, 'ffow').kind, 'malformed', JSON.stringify(state));
  }
});
