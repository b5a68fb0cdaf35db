import assert from 'node:assert/strict';
import { test } from 'node:test';
import { statusOf } from './exchange.ts';
import { COUNTS, FACTS, latin1, openGamespy1 as open } from './gamespy1-replies.ts';

test('GameSpy 1: reads players, scores, version and password, although each game uses its own keys for them', () => {
  const read = (text: string) => statusOf(open().receive(latin1(`${text}\\final\\`)));
  const players = [
    '\\playername_0\\Ann\\kills_0\\9\\score_0\\7\\deaths_0\\1',
    '\\player_3\\Bob\\kills_3\\4',
    '\\playername_5\\Eve',
    '\\teamname_0\\axis\\score_t0\\99\\team_t1\\allies',
  ];
  const status = read(`\\hostname\\a\\version\\v1.6\\maxplayers\\8${players.join('')}`);
  assert.equal(status.version, 'v1.6');
  assert.equal(status.players, 3);
  assert.deepEqual(status.playerList, [
    { name: 'Ann', score: 7 },
    { name: 'Bob', score: 4 },
    { name: 'Eve' },
  ]);
  const passwords = ['0', '', 'False', 'no', '1', 'True', 'yes'].map(
    password => read(`${COUNTS}\\password\\${password}\\x\\y`).password,
  );
  assert.deepEqual(passwords, [false, false, false, false, true, true, true]);
});

test('GameSpy 1: does not read the score of a team as the score of a player', () => {
  const text = `${FACTS}${COUNTS}\\player_0\\Ann\\score_t0\\99\\final\\`;
  assert.deepEqual(statusOf(open().receive(latin1(text))).playerList, [{ name: 'Ann' }]);
});

test('GameSpy 1: ignores the case of keys, the second value of a repeated key, and an invalid join port', () => {
  for (const port of ['70000', '0x1e61', '7e3', '-5', '0', '']) {
    const text = `\\HostName\\a\\NumPlayers\\010\\MaxPlayers\\14\\numplayers\\9\\hostport\\${port}\\final\\`;
    const status = statusOf(open().receive(latin1(text)));
    assert.deepEqual(status, { name: 'a', players: 10, maxplayers: 14, playerList: [] }, port);
  }
});

test('GameSpy 1: leaves out a score that is not a number, and ignores the fraction of a score', () => {
  const scores = ['12', ' -3', '4.50', '0x10', 'none', '1e3'];
  const players = scores.map((score, i) => `\\player_${i}\\${i}\\score_${i}\\${score}`).join('');
  const { playerList } = statusOf(open().receive(latin1(`${FACTS}${COUNTS}${players}\\final\\`)));
  assert.deepEqual(
    playerList?.map(({ score }) => score),
    [12, -3, 4, undefined, undefined, undefined],
  );
});

test('GameSpy 1: decodes each text as UTF-8 or Windows-1252, and removes colour codes', () => {
  const text =
    '\\hostname\\\x1b\xf8\x01@R\xe9d\x1b\x01\x02\x03 one\\mapname\\\xc3\xa9\\numplayers\\0\\maxplayers\\4\\final\\';
  const status = statusOf(open().receive(latin1(text)));
  assert.deepEqual([status.name, status.map], ['R\u00e9d one', '\u00e9']);
});

test('GameSpy 1: removes a colour code whose bytes are also valid UTF-8, and decodes the rest of the text as UTF-8', () => {
  const gold = '\x1b\xda\xa5\x20Caf\xc3\xa9';
  const text = `\\hostname\\${gold}\\mapname\\${gold}\\gamever\\\xc3\xa9\\maxplayers\\4\\player_0\\${gold}\\final\\`;
  const status = statusOf(open().receive(latin1(text)));
  assert.deepEqual([status.name, status.map, status.version], ['Caf\u00e9', 'Caf\u00e9', '\u00e9']);
  assert.deepEqual(status.playerList, [{ name: 'Caf\u00e9' }]);
});

test('GameSpy 1: reads a player name that contains a backslash', () => {
  const text = `${FACTS}${COUNTS}\\player_0\\A\\nn\\frags_0\\12\\player_1\\Bob\\frags_1\\-3`;
  const status = statusOf(open().receive(latin1(`${text}\\queryid\\1.1\\final\\`)));
  assert.deepEqual(status.playerList, [
    { name: 'A\\nn', score: 12 },
    { name: 'Bob', score: -3 },
  ]);
});

test('GameSpy 1: reads player names that look like keys, and reads server properties after the players', () => {
  const text = '\\player_0\\Ann\\player_1\\b_2\\maxplayers\\8\\mapname\\c_3\\final\\';
  const status = statusOf(open().receive(latin1(text)));
  assert.deepEqual(status.playerList, [{ name: 'Ann' }, { name: 'b_2' }]);
  assert.deepEqual([status.maxplayers, status.map], [8, 'c_3']);
});

test('GameSpy 1: a player name that contains a backslash and a key cannot overwrite a server property', () => {
  const text = `${FACTS}${COUNTS}\\player_0\\x\\numplayers\\0\\queryid\\1.1\\final\\`;
  assert.equal(statusOf(open().receive(latin1(text))).players, 2);
});
