import assert from 'node:assert/strict';
import { test } from 'node:test';
import { quake2 } from '../../../prober/protocols/quake2.ts';
import { bytes, MESSAGE } from './bytes.ts';
import { openDatagrams, statusOf } from './exchange.ts';

const INFO = '\\mapname\\q2dm1\\needpass\\0\\version\\R1Q2 b8012\\hostname\\The Edge\\maxclients\\16';
const open = () => openDatagrams(quake2);
const reply = (info: string, ...lines: string[]) => bytes(MESSAGE, ['print', info, ...lines, ''].join('\n'));

test('Quake 2: the request is the word `status`', () => {
  const exchange = open();
  assert.deepEqual(exchange.request(), [bytes(MESSAGE, 'status\n')]);
  assert.equal(exchange.partial(), undefined);
});

test('Quake 2: reads the info string and the players, and counts players with ping 0 as bots', () => {
  const status = statusOf(open().receive(reply(INFO, '12 48 "Ann"', '-3 0 "[BZZZ]"', '0 9 ""')));
  assert.deepEqual(status, {
    name: 'The Edge',
    map: 'q2dm1',
    maxplayers: 16,
    password: false,
    version: 'R1Q2 b8012',
    players: 3,
    numbots: 1,
    playerList: [
      { name: 'Ann', score: 12 },
      { name: '[BZZZ]', score: -3 },
      { name: '', score: 0 },
    ],
  });
});

test('Quake 2: accepts quotes in a player name, and the address and team that Alien Arena sends after the name', () => {
  const { playerList } = statusOf(
    open().receive(reply(INFO, '5 0 "^1Cyborg" "127.0.0.1" 1', '1 2 "a "b" c"')),
  );
  assert.deepEqual(playerList, [
    { name: '^1Cyborg', score: 5 },
    { name: 'a "b" c', score: 1 },
  ]);
});

test('Quake 2: accepts a carriage return in a player name, and decodes each string as UTF-8 or Windows-1252', () => {
  const raw = Buffer.from('1 2 "caf\xe9\r"\n', 'latin1');
  const status = statusOf(open().receive(bytes(reply('\\maxclients\\8\\hostname\\\u2605'), raw)));
  assert.equal(status.name, '\u2605');
  assert.deepEqual(status.playerList, [{ name: 'caf\u00e9\r', score: 1 }]);
});

test('Quake 2: does not report a password if only spectators need one', () => {
  const needs = (value: string) =>
    statusOf(open().receive(reply(`\\maxclients\\8\\needpass\\${value}`))).password;
  assert.deepEqual(['0', '1', '2', '3', '-1', 'x'].map(needs), [false, true, false, true, true, false]);
  assert.equal(statusOf(open().receive(reply('\\maxclients\\8'))).password, undefined);
});

test('Quake 2: ignores messages that are not a status reply', () => {
  assert.equal(open().receive(bytes(MESSAGE, 'print\nConnection refused.\n')).kind, 'more');
  assert.equal(open().receive(bytes(MESSAGE, 'info\nThe Edge q2dm1 3/16\n')).kind, 'more');
});

test('Quake 2: rejects a truncated reply, except if it ends with a complete line', () => {
  const whole = reply(INFO, '12 48 "Ann"', '3 50 "Bob"');
  for (let length = 0; length < whole.length; length++) {
    const step = open().receive(whole.subarray(0, length));
    const text = whole.subarray(0, length).toString('latin1');
    const lines = text.split('\n').length - 3;
    if (text.endsWith('\n') && lines >= 0) assert.equal(statusOf(step).players, lines);
    else assert.equal(step.kind, 'malformed', `cut at ${length}`);
  }
});

test('Quake 2: rejects a reply with a wrong header, an invalid info string, invalid player lines, or too many bytes', () => {
  for (const datagram of [
    reply('\\hostname\\no places'),
    reply('\\maxclients\\-1'),
    reply('\\maxclients\\8\\odd'),
    reply(INFO, '12 Ann'),
    reply(INFO, '12 "Ann"'),
    reply(INFO, 'a 48 "Ann"'),
    reply(INFO, ''),
    reply(`${INFO}\\long\\${'x'.repeat(17000)}`),
    bytes('print\n', INFO, '\n'),
    Buffer.alloc(0),
    Buffer.alloc(5),
  ]) {
    assert.equal(open().receive(datagram).kind, 'malformed', datagram.toString('latin1', 0, 60));
  }
});
