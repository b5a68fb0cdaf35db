import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bytes } from './bytes.ts';
import { packetsOf, statusOf } from './exchange.ts';
import {
  COUNTS_SEVEN,
  extended,
  extendedPlayer,
  INFO_SEVEN,
  more,
  ONES,
  OWN,
  openTeeworlds as open,
  openSeven,
  player,
  seven,
  six,
  THEIRS,
  TOKEN,
  text,
  token,
  vanilla,
} from './teeworlds-replies.ts';

test('Teeworlds: first requests a token and the 0.6 server info, and requests the 0.7 server info when the token arrives', () => {
  const exchange = open();
  assert.deepEqual(exchange.request(), [
    bytes('xe', 0x06, 0x07, 0, 0, ONES, 'gie3', 0x08),
    bytes(4, 0, 0, ONES, 5, OWN, Buffer.alloc(508)),
  ]);
  assert.equal(exchange.challenged, false);
  assert.deepEqual(packetsOf(exchange.receive(token())), [bytes(0x21, THEIRS, OWN, ONES, 'gie3', 0x08)]);
  assert.equal(exchange.receive(token()).kind, 'more');
  assert.deepEqual([exchange.partial(), exchange.challenged], [undefined, true]);
});

test('Teeworlds: reads the server info in the format of Teeworlds 0.6', () => {
  assert.deepEqual(statusOf(open().receive(vanilla(2, player('Ann', 7), player('', -9999)))), {
    name: 'Tees',
    map: 'ctf1',
    version: '0.6.5',
    password: true,
    players: 2,
    maxplayers: 16,
    playerList: [
      { name: 'Ann', score: 7 },
      { name: '', score: -9999 },
    ],
  });
});

test('Teeworlds: accepts a reply that lists more players than its player count says', () => {
  const sixteen = Array.from({ length: 16 }, (_, i) => player(`${i}`, i));
  const listed = statusOf(open().receive(vanilla(15, ...sixteen)));
  assert.deepEqual([listed.players, listed.playerList?.length], [15, 16]);
  const unlisted = statusOf(open().receive(vanilla(15)));
  assert.deepEqual([unlisted.players, unlisted.playerList], [15, undefined]);
});

test('Teeworlds: reports 2^31 - 1 as the score of a player if the score is too large for 32 bits', () => {
  const most = bytes(0xbf, 0xff, 0xff, 0xff, 0x7f);
  const players = bytes(
    text('Ann', ''),
    0x40,
    most,
    0,
    text('Bob', ''),
    0x40,
    0,
    0,
    text('Eve', ''),
    0x40,
    0,
    0,
  );
  const { playerList } = statusOf(openSeven().receive(seven(INFO_SEVEN, COUNTS_SEVEN, players)));
  assert.equal(playerList?.[0]?.score, 0x7fffffff);
});

test('Teeworlds: does not request the 0.7 server info if the server has already sent the 0.6 server info', () => {
  const exchange = open();
  exchange.receive(extended(3, extendedPlayer('a', 1)));
  assert.equal(exchange.receive(token()).kind, 'more');
});

test('Teeworlds: reads the server info in the format of Teeworlds 0.7', () => {
  const players = bytes(
    ...[text('Ann', ''), bytes(0x40, 0xbf, 1, 0)],
    ...[text('Bot', ''), bytes(0x40, 0x40, 2)],
    ...[text('Eve', ''), bytes(0x40, 0, 1)],
  );
  assert.deepEqual(statusOf(openSeven().receive(seven(INFO_SEVEN, COUNTS_SEVEN, players))), {
    name: 'Seven',
    map: 'dm1',
    version: '0.7.5',
    password: true,
    players: 3,
    maxplayers: 64,
    numbots: 1,
    playerList: [
      { name: 'Ann', score: 127 },
      { name: 'Bot', score: -1 },
      { name: 'Eve', score: 0 },
    ],
  });
});

test('Teeworlds: ignores replies with a wrong token, and messages of other types', () => {
  assert.equal(open().receive(six('inf3', 9, Buffer.alloc(30))).kind, 'more');
  assert.equal(open().receive(six('iext', 8, Buffer.alloc(30))).kind, 'more');
  assert.equal(open().receive(six('iex+', TOKEN + 1, text(1, ''))).kind, 'more');
  assert.equal(open().receive(six('dtsf', TOKEN)).kind, 'more');
  assert.equal(open().receive(token(THEIRS)).kind, 'more');
  assert.equal(open().receive(token(OWN, 4)).kind, 'more');
  const exchange = openSeven();
  assert.equal(exchange.receive(token()).kind, 'more');
  const reply = seven(INFO_SEVEN, COUNTS_SEVEN);
  for (const at of [1, 4, 13, 17]) {
    const other = Buffer.from(reply);
    other.writeUInt8(9, at);
    assert.equal(exchange.receive(other).kind, 'more', `byte ${at}`);
  }
  assert.equal(statusOf(exchange.receive(reply)).players, 3);
});

test('Teeworlds: rejects a truncated reply, except if it ends before the player list', () => {
  const replies = [vanilla(2, player('Ann', 7), player('Bob', 1)), extended(2, extendedPlayer('Ann', 1))];
  const whole = [vanilla(2), extended(2), ...replies].map(reply => reply.length);
  for (const reply of replies) {
    for (let length = 0; length < reply.length; length++) {
      if (whole.includes(length)) continue;
      assert.equal(open().receive(reply.subarray(0, length)).kind, 'malformed', `cut at ${length}`);
    }
  }
  const list = bytes(...['Ann', 'Bob', 'Eve'].flatMap(name => [text(name, ''), bytes(0x40, 7, 0)]));
  const reply = seven(INFO_SEVEN, COUNTS_SEVEN, list);
  for (let length = 0; length < reply.length; length++) {
    if (length === reply.length - list.length) continue;
    assert.equal(openSeven().receive(reply.subarray(0, length)).kind, 'malformed', `cut at ${length}`);
  }
  for (let length = 0; length < 12; length++)
    assert.equal(open().receive(token().subarray(0, length)).kind, 'malformed', `cut at ${length}`);
});

test('Teeworlds: rejects a reply with a wrong header, an invalid number, or a player count that contradicts the list', () => {
  const crowd = Array.from({ length: 1025 }, () => player('', 0));
  for (const reply of [
    vanilla(3, player('Ann', 7), player('Bob', 1)),
    vanilla(-1),
    vanilla(1025),
    vanilla(1, ...crowd),
    six('inf3', 8, text('0.6.5', 'Tees', 'ctf1', 'CTF', 'x', 0, 12, 0, 16)),
    six('inf3', 8, text('0.6.5', 'Tees', 'ctf1', 'CTF', '', 0, 12, 0, 16)),
    six('inf3', 8, text('0.6.5', 'Tees', 'ctf1', 'CTF', 0, 0, 12, 0, -1)),
    extended(1, extendedPlayer('a', 1), extendedPlayer('b', 2)),
    more(0, extendedPlayer('a', 1)),
    more(64, extendedPlayer('a', 1)),
    bytes('\xff\xff', ONES, 'inf3'),
    Buffer.alloc(30),
  ]) {
    assert.equal(open().receive(reply).kind, 'malformed', reply.toString('latin1', 0, 60));
  }
  const endless = seven(INFO_SEVEN, bytes(Buffer.alloc(5, 0x80), 0, 0, 1, 8, 0, 16));
  assert.equal(openSeven().receive(endless).kind, 'malformed');
});
