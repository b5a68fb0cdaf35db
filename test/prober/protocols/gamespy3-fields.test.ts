import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bytes, cstring } from './bytes.ts';
import { statusOf } from './exchange.ts';
import {
  LAST,
  LIST,
  NAMES,
  ONE,
  openGamespy3 as open,
  part,
  RULES,
  STATUS,
  strings,
  TEAMS,
} from './gamespy3-replies.ts';

test('GameSpy 3: reads the server properties and the player list from one packet', () => {
  assert.deepEqual(statusOf(open().receive(ONE)), { ...STATUS, playerList: LIST });
});

test('GameSpy 3: reads Minecraft replies with and without players; the sections of these replies have no end marks', () => {
  const rules = strings(
    'hostname',
    'A world',
    'version',
    '1.8',
    'map',
    'world',
    'numplayers',
    '2',
    'maxplayers',
    '75',
    '',
  );
  const names = (...list: string[]) => bytes(1, cstring('player_'), 0, strings(...list, ''));
  const status = statusOf(open().receive(part(LAST, 0, rules, names('Ann', 'Bob'))));
  assert.deepEqual(status, {
    name: 'A world',
    map: 'world',
    players: 2,
    maxplayers: 75,
    version: '1.8',
    playerList: [{ name: 'Ann' }, { name: 'Bob' }],
  });
  assert.deepEqual(statusOf(open().receive(part(LAST, 0, rules, names()))).playerList, []);
});

test('GameSpy 3: removes a colour code whose bytes are also valid UTF-8, and decodes the rest of the text as UTF-8', () => {
  const gold = bytes(Buffer.from('1bdaa520', 'hex'), 'Caf\u00e9', 0);
  const rules = bytes(0, cstring('hostname'), gold, strings('maxplayers', '4', ''));
  const names = bytes(cstring('player_'), 0, gold, 0);
  const status = statusOf(open().receive(part(LAST, rules, 1, names, 0)));
  assert.equal(status.name, 'Caf\u00e9');
  assert.deepEqual(status.playerList, [{ name: 'Caf\u00e9' }]);
});

test('GameSpy 3: counts the bots if the server marks players as bots', () => {
  const bots = bytes(cstring('AIBot_'), 0, strings('0', '1', '1', ''));
  const status = statusOf(open().receive(part(LAST, RULES, 1, NAMES, bots, 0, TEAMS)));
  assert.equal(status.numbots, 2);
  const cut = statusOf(open().receive(part(LAST, RULES, 1, NAMES, bots.subarray(0, -3))));
  assert.equal(cut.numbots, undefined, 'the marks of some players are missing');
});

test('GameSpy 3: reads the bots and the version of Unreal Tournament 3, which has no list of bots and no `gamever`', () => {
  const read = (rules: string[], ...lists: Buffer[]) => {
    const facts = strings('numplayers', '3', 'maxplayers', '8', 'EngineVersion', '3809', ...rules, '');
    return statusOf(open().receive(part(LAST, 0, facts, 1, ...lists)));
  };
  const { numbots, players, version } = read(['p268435703', '2', 'p1073741825', 'DM-Deck'], NAMES);
  assert.deepEqual([numbots, players, version], [2, 3, '3809']);
  for (const value of [[''], ['-1'], ['two'], ['p268435704', '5']]) {
    assert.equal(read(['p268435703', ...value]).numbots, undefined, value.join());
  }
  const bots = bytes(cstring('AIBot_'), 0, strings('0', '1', '0', ''));
  assert.equal(read(['p268435703', '2'], NAMES, bots).numbots, 1);
  assert.equal(read(['version', '2.1']).version, '2.1');
});

test('GameSpy 3: accepts empty or missing sections for players and teams, and zero bytes at the end', () => {
  const empty = bytes(0, strings('hostname', 'x', 'maxplayers', '18', ''));
  for (const tail of ['', '\x01\0\x02\0', '\0', '\0\0']) {
    const status = statusOf(open().receive(part(LAST, empty, tail)));
    assert.deepEqual(status, { name: 'x', players: 0, maxplayers: 18, playerList: [] }, JSON.stringify(tail));
  }
});

test('GameSpy 3: reads name, map and password of Unreal Tournament 3 from its numbered keys, such as p1073741827', () => {
  const settings = ['p268435705', 'p1073741825', 'DM-Deck', 'p1073741827', 'The Deck', 's7', '1'];
  const rules = strings(
    'hostname',
    'Owner',
    ...settings,
    'mapname',
    'a,b',
    'numplayers',
    '0',
    'maxplayers',
    '8',
    '',
  );
  const { name, map, password } = statusOf(open().receive(part(LAST, 0, rules)));
  assert.deepEqual([name, map, password], ['The Deck', 'DM-Deck', true]);
});

test('GameSpy 3: uses `hostname` as the server name of Unreal Tournament 3 if the name setting is empty', () => {
  const rules = [
    'hostname',
    'Beer and Rockets',
    'p1073741827',
    '',
    'p1073741825',
    'DM-Deck',
    'numplayers',
    '1',
  ];
  const status = statusOf(open().receive(part(LAST, 0, strings(...rules, 'maxplayers', '12', ''))));
  assert.deepEqual([status.name, status.map], ['Beer and Rockets', 'DM-Deck']);
});
