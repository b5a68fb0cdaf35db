import assert from 'node:assert/strict';
import { test } from 'node:test';
import { quake3 } from '../../../prober/protocols/quake3.ts';
import { bytes, MESSAGE, quake3Status } from './bytes.ts';
import { openDatagrams, statusOf } from './exchange.ts';

const INFO = {
  sv_hostname: '^1Red ^7Arena',
  mapname: 'q3dm17',
  sv_maxclients: '16',
  g_needpass: '1',
  version: 'ioq3 1.36',
};
const open = () => openDatagrams(quake3);

test('Quake 3: the request contains the word `getstatus` and the nonce', () => {
  assert.deepEqual(open().request(), [bytes(MESSAGE, 'getstatus 102030405060708')]);
});

test('Quake 3: reads the info string and the players, and counts players with ping 0 as bots', () => {
  const status = statusOf(open().receive(quake3Status(INFO, ['12 48 "^2Ann"', '-3 0 "Sarge"', '0 999 ""'])));
  assert.deepEqual(status, {
    name: '^1Red ^7Arena',
    map: 'q3dm17',
    players: 3,
    maxplayers: 16,
    numbots: 1,
    password: true,
    version: 'ioq3 1.36',
    playerList: [
      { name: '^2Ann', score: 12 },
      { name: 'Sarge', score: -3 },
      { name: '', score: 0 },
    ],
  });
});

test('Quake 3: reads an empty server, with and without a zero byte at the end of the reply', () => {
  const reply = quake3Status(INFO, []);
  for (const form of [reply, bytes(reply, 0)]) assert.equal(statusOf(open().receive(form)).players, 0);
});

test('Quake 3: reads the different keys of related games, such as Call of Duty, and a team before or after the player name', () => {
  const relatives = {
    hostname: 'CoD',
    mapname: 'mp_crash',
    maxclients: '24',
    pswrd: '0',
    shortversion: '1.7',
  };
  const reply = quake3Status(relatives, [
    '1 20 2 "Team before"',
    '2 30 "Team behind" 1',
    '3 40 "a "quoted" name"',
  ]);
  const { name, maxplayers, password, version, playerList } = statusOf(open().receive(reply));
  assert.deepEqual([name, maxplayers, password, version], ['CoD', 24, false, '1.7']);
  assert.deepEqual(
    playerList?.map(player => player.name),
    ['Team before', 'Team behind', 'a "quoted" name'],
  );
});

test('Quake 3: reads player lines with an address or id, with an invalid score, or without a score', () => {
  const lines = ['1 20 "Ann" "192.0.2.1:27960"', '2 20 "Bob" "" 3', '1:23.45 30 0 "Racer"', '40 "No score"'];
  assert.deepEqual(statusOf(open().receive(quake3Status(INFO, lines))).playerList, [
    { name: 'Ann', score: 1 },
    { name: 'Bob', score: 2 },
    { name: 'Racer' },
    { name: 'No score' },
  ]);
});

test('Quake 3: reads an IW4x reply, which has the password flag `isPrivate`, and an empty line after the players', () => {
  const info = { ...INFO, g_needpass: undefined, isPrivate: '1', challenge: '', gamename: 'IW4' };
  const iw4x = (players: string[]) => quake3Status(JSON.parse(JSON.stringify(info)), [...players, '']);
  const { players, password, playerList } = statusOf(
    open().receive(iw4x(['800 181 "^:Khan"', '0 999 "Bob"'])),
  );
  assert.deepEqual([players, password], [2, true]);
  assert.deepEqual(playerList, [
    { name: '^:Khan', score: 800 },
    { name: 'Bob', score: 0 },
  ]);
  assert.equal(statusOf(open().receive(iw4x([]))).players, 0);
});

test('Quake 3: accepts a line separator and a carriage return in a player name', () => {
  const { playerList } = statusOf(open().receive(quake3Status(INFO, ['1 2 "a\u2028b"', '1 2 "a\rb"'])));
  assert.deepEqual(
    playerList?.map(({ name }) => name),
    ['a\u2028b', 'a\rb'],
  );
});

test('Quake 3: decodes each string as UTF-8 or Windows-1252, and ignores a score that is not a number', () => {
  const info = { sv_hostname: '\u2605', mapname: '\u00e9', sv_maxclients: '8', version: '\u00fc' };
  const raw = Buffer.from('5 30 "caf\xe9"\n', 'latin1');
  // In UTF-8, the invalid score `à` ends with the byte 0xa0, which is a space in Latin-1. The parser must not take this
  // byte for a space.
  const status = statusOf(open().receive(bytes(quake3Status(info, ['\u00e0 20 "\u2605"']), raw)));
  assert.deepEqual([status.name, status.map, status.version], ['\u2605', '\u00e9', '\u00fc']);
  assert.deepEqual(status.playerList, [{ name: '\u2605' }, { name: 'caf\u00e9', score: 5 }]);
});

test("Quake 3: shows the characters of Quake's own font as ASCII, because DarkPlaces games such as Xonotic use them in names", () => {
  const info = { ...INFO, sv_hostname: '\ue010X\ue011 \ue0c1\ue062c \u2605' };
  const { name, playerList } = statusOf(
    open().receive(quake3Status(info, ['1 2 "\ue012\ue01b\ue01d\ue0e1 \udbff\udfff\ue100"'])),
  );
  assert.equal(name, '[X] Abc \u2605');
  assert.deepEqual(playerList, [{ name: '09<a \udbff\udfff\ue100', score: 1 }]);
});

test('Quake 3: ignores the case of keys', () => {
  assert.equal(statusOf(open().receive(quake3Status({ SV_MaxClients: '5' }, []))).maxplayers, 5);
});

test('Quake 3: ignores a reply that contains the challenge of another request', () => {
  const challenged = (challenge: string) => quake3Status({ ...INFO, challenge }, ['1 2 "Ann"']);
  assert.equal(statusOf(open().receive(challenged('102030405060708'))).players, 1);
  assert.equal(statusOf(open().receive(challenged(''))).players, 1);
  assert.equal(open().receive(challenged('102030405060709')).kind, 'more');
});

test('Quake 3: reports a player count without a list if a DarkPlaces server sends its short reply', () => {
  const reply = (info: string) => bytes(MESSAGE, `infoResponse\n${info}\n7\n`);
  const info = '\\sv_maxclients\\128\\clients\\90\\bots\\4\\mapname\\dance\\hostname\\Full';
  assert.deepEqual(statusOf(open().receive(reply(info))), {
    name: 'Full',
    map: 'dance',
    maxplayers: 128,
    players: 90,
    numbots: 4,
  });
  assert.equal(open().receive(reply(`${info}\\challenge\\1`)).kind, 'more');
  assert.equal(open().receive(reply('\\sv_maxclients\\128')).kind, 'malformed');
  assert.equal(open().receive(reply('\\clients\\1')).kind, 'malformed');
});

test('Quake 3: ignores the messages `print` and `infoResponse`, which gsq did not request', () => {
  assert.equal(open().receive(bytes(MESSAGE, 'print\nhello\n')).kind, 'more');
  assert.equal(open().receive(bytes(MESSAGE, 'infoResponse\n\\a\\b')).kind, 'more');
});

test('Quake 3: rejects a truncated reply, except if it ends with a complete line', () => {
  const reply = quake3Status(INFO, ['12 48 "Ann"', '3 50 "Bob"']);
  for (let length = 0; length < reply.length; length++) {
    const step = open().receive(reply.subarray(0, length));
    const text = reply.subarray(0, length).toString('latin1');
    const lines = text.split('\n').length - 3;
    if (text.endsWith('\n') && lines >= 0) assert.equal(statusOf(step).players, lines);
    else assert.equal(step.kind, 'malformed', `cut at ${length}`);
  }
});

test('Quake 3: rejects a reply with a wrong header, an invalid info string, invalid player lines, or too many bytes', () => {
  for (const reply of [
    quake3Status({ ...INFO, sv_maxclients: 'many' }, []),
    quake3Status({ sv_hostname: 'no capacity' }, []),
    quake3Status(INFO, ['12 48 Ann']),
    quake3Status(INFO, ['"Ann"']),
    quake3Status(INFO, ['a "Ann"']),
    quake3Status(INFO, ['12 48 "Ann" behind']),
    quake3Status(INFO, [`12 48 "${'n'.repeat(256)}"`]),
    quake3Status({ ...INFO, sv_maxclients: '' }, []),
    quake3Status(INFO, new Array(1025).fill('1 1 "a"')),
    quake3Status(INFO, ['', '1 2 "Ann"']),
    quake3Status(INFO, ['1 2 "Ann"', '', '']),
    bytes(MESSAGE, 'statusResponse\n\\a\\b\\c\n'),
    bytes(MESSAGE, 'statusResponse\nodd\\sv_maxclients\\8\n'),
    bytes(MESSAGE, 'statusResponse\nno info\n'),
    bytes(MESSAGE, 'statusResponse\n'),
    bytes(quake3Status({ ...INFO, long: 'x'.repeat(17000) }, [])),
    Buffer.from('getstatus\n'),
    Buffer.alloc(5),
  ]) {
    assert.equal(open().receive(reply).kind, 'malformed', reply.toString('latin1', 0, 60));
  }
});
