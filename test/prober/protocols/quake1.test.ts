import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hexen2, quake1 } from '../../../prober/protocols/quake1.ts';
import { bytes, MESSAGE } from './bytes.ts';
import { openDatagrams, statusOf } from './exchange.ts';

const INFO = '\\maxclients\\16\\needpass\\0\\*version\\MVDSV 0.36\\hostname\\Dead Simple\\map\\dm3';
const HEXEN = bytes(MESSAGE, 0xff);
const open = () => openDatagrams(quake1);
const reply = (info: string, ...lines: string[]) =>
  bytes(MESSAGE, Buffer.from(['n', info, '\n', ...lines.map(line => `${line}\n`)].join(''), 'latin1'));

test('QuakeWorld: the request is the word `status`', () => {
  assert.deepEqual(open().request(), [bytes(MESSAGE, 'status\n')]);
});

test('QuakeWorld: reads the info string and the players, and converts their playing time from minutes to seconds', () => {
  const lines = ['7 12 5 48 "Ann" "base" 4 4', '8 -2 0 0 "/ bro" "" 13 0'];
  assert.deepEqual(statusOf(open().receive(reply(INFO, ...lines))), {
    name: 'Dead Simple',
    map: 'dm3',
    maxplayers: 16,
    password: false,
    version: 'MVDSV 0.36',
    players: 2,
    numbots: 1,
    playerList: [
      { name: 'Ann', score: 12, time: 300 },
      { name: '/ bro', score: -2, time: 0 },
    ],
  });
});

test('QuakeWorld: accepts a zero byte at the end, and a team at the end of a player line', () => {
  const line = '7 12 5 48 "Ann" "base" 4 4 "red"';
  const status = statusOf(open().receive(bytes(reply(INFO, line), 0)));
  assert.deepEqual(status.playerList, [{ name: 'Ann', score: 12, time: 300 }]);
});

test('QuakeWorld: converts the characters of Quake’s own font to ASCII', () => {
  // A player name in Quake's own font: letters, digits, brackets, a dot and arrows. The name also contains the byte
  // 0x8a, a line feed in a second colour. This byte must not end the line of the player.
  const line = '1 1 1 9 "\xc1\xee\xee\x90\x92\x9b\x91\x85\x8a\x1d\x1e\x1f" "" 0 0';
  const status = statusOf(open().receive(reply('\\maxclients\\8\\hostname\\\xe4\xed\x20\x10\x13\x11', line)));
  assert.equal(status.name, 'dm [1]');
  assert.deepEqual(status.playerList, [{ name: 'Ann[09]. <=>', score: 1, time: 60 }]);
});

test('QuakeWorld: accepts every character of the second colour (bytes 0x80 to 0xff) in server names, player names and skins', () => {
  for (let code = 0x80; code <= 0xff; code++) {
    const brown = String.fromCharCode(code);
    const lines = [`1 1 1 9 "${brown}Ann" "ba${brown}se" 0 0`, '2 1 1 9 "Bob" "" 0 0'];
    const status = statusOf(open().receive(reply(`\\maxclients\\8\\hostname\\a${brown}b`, ...lines)));
    assert.match(status.name, /^a.b$/s, `${code}`);
    assert.deepEqual(
      status.playerList?.map(({ name }) => name.slice(-3)),
      ['Ann', 'Bob'],
      `${code}`,
    );
  }
});

test('QuakeWorld: converts an arrow, quote or backslash in the second colour to ASCII, and a carriage return to >', () => {
  const line = '1 1 1 9 "\x8d\xa2\xdc\rAnn" "" 0 0';
  const status = statusOf(open().receive(reply('\\maxclients\\8\\hostname\\a\xdcb', line)));
  assert.equal(status.name, 'a\\b');
  assert.deepEqual(status.playerList, [{ name: '>"\\>Ann', score: 1, time: 60 }]);
});

test('QuakeWorld: does not report a password if only spectators need one', () => {
  const needs = (value: string) =>
    statusOf(open().receive(reply(`\\maxclients\\8\\needpass\\${value}`))).password;
  assert.deepEqual(['0', '1', '2', '3', '-1', 'x'].map(needs), [false, true, false, true, true, false]);
});

test('QuakeWorld: ignores messages that are not a status reply', () => {
  for (const text of ['nbad rcon_password\n', 'c12345', 'l', 'print\nhello'])
    assert.equal(open().receive(bytes(MESSAGE, text)).kind, 'more', text);
});

test('QuakeWorld: reads HexenWorld replies, which have one more byte before the message', () => {
  const exchange = openDatagrams(hexen2);
  assert.deepEqual(exchange.request(), [bytes(HEXEN, 'status\n')]);
  const body = `n${INFO}\n7 12 5 48 "Ann" "base" 4 4\n`;
  assert.equal(statusOf(exchange.receive(bytes(HEXEN, body))).players, 1);
  assert.equal(exchange.receive(bytes(MESSAGE, body)).kind, 'malformed');
});

test('QuakeWorld: rejects a truncated reply, except if it ends with a complete line', () => {
  const whole = reply(INFO, '7 12 5 48 "Ann" "base" 4 4', '8 1 0 30 "Bob" "base" 4 4');
  for (let length = 0; length < whole.length; length++) {
    const step = open().receive(whole.subarray(0, length));
    const text = whole.subarray(0, length).toString('latin1');
    if (text.endsWith('\n')) assert.equal(statusOf(step).players, text.split('\n').length - 2);
    else assert.equal(step.kind, 'malformed', `cut at ${length}`);
  }
});

test('QuakeWorld: rejects a reply with a wrong header, an invalid info string, invalid player lines, or too many bytes', () => {
  for (const datagram of [
    reply('\\hostname\\no places'),
    reply('\\maxclients\\many'),
    reply('\\maxclients\\8\\odd'),
    reply(INFO, '7 12 5 48 "Ann"'),
    reply(INFO, '7 12 5 "Ann" "base" 4 4'),
    reply(INFO, '7 12 five 48 "Ann" "base" 4 4'),
    reply(INFO, ''),
    reply(`${INFO}\\long\\${'x'.repeat(17000)}`),
    bytes('n', INFO, '\n'),
    Buffer.alloc(0),
    Buffer.alloc(5),
  ]) {
    assert.equal(open().receive(datagram).kind, 'malformed', datagram.toString('latin1', 0, 60));
  }
});
