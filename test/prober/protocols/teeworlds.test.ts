import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DatagramExchange } from '../../../prober/protocols/protocol.ts';
import { teeworlds } from '../../../prober/protocols/teeworlds.ts';
import { bytes } from './bytes.ts';
import { openDatagrams, packetsOf, statusOf } from './exchange.ts';

const CONNLESS = Buffer.from('ffffffffffff', 'hex');
const ONES = Buffer.from('ffffffff', 'hex');
// Tokens that gsq makes from the nonce. `TOKEN` is its lower 24 bits; 0.6 uses them all, and 0.7 uses the lowest 6.
// `OWN` is made from its upper 32 bits, for 0.7. `THEIRS` is the token of the server in 0.7.
const TOKEN = 0x060708;
const OWN = Buffer.from('01020304', 'hex');
const THEIRS = Buffer.from('a0b0c0d0', 'hex');

const open = () => openDatagrams(teeworlds);
const text = (...fields: (string | number)[]) => bytes(fields.map(field => `${field}\0`).join(''));
const six = (kind: string, token: number, ...body: Buffer[]) =>
  bytes(CONNLESS, ONES, kind, text(token), ...body);
const vanilla = (clients: number, ...players: Buffer[]) =>
  six('inf3', 8, text('0.6.5', 'Tees', 'ctf1', 'CTF', 1, clients, 12, clients, 16), ...players);
const extended = (clients: number, ...players: Buffer[]) =>
  six(
    'iext',
    TOKEN,
    text('0.6.4', 'DDNet', 'Kobra', -5, 900, 'DDRace', 0, 0, 60, clients, 64, ''),
    ...players,
  );
const more = (part: number, ...players: Buffer[]) => six('iex+', TOKEN, text(part, ''), ...players);
const player = (name: string, score: number) => text(name, 'clan', 276, score, 1);
const extendedPlayer = (name: string, score: number) => bytes(player(name, score), text(''));

const token = (own = OWN, kind = 5) => bytes(4, 0, 0, own, kind, THEIRS);
/** Builds an info reply of Teeworlds 0.7. The 8 is a packed number: numbers up to 63 take one byte with that value. */
const seven = (...body: Buffer[]) => bytes(0x21, OWN, THEIRS, ONES, 'inf3', bytes(8), ...body);
const INFO_SEVEN = text('0.7.5', 'Seven', 'host.example', 'dm1', 'DM');
/** Counts of a 0.7 info: password 1, skill 0, 1 of 8 player slots, 3 of 64 client slots. */
const COUNTS_SEVEN = bytes(1, 0, 1, 8, 3, 0x80, 1);

/** Returns an exchange that has received the server's token of Teeworlds 0.7. */
function openSeven(): DatagramExchange {
  const exchange = open();
  exchange.request();
  packetsOf(exchange.receive(token()));
  return exchange;
}

test('Teeworlds: sends the requests of 0.6 and 0.7 together, and requests the info of 0.7 only once', () => {
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

test('Teeworlds: reads the info in the format of Teeworlds 0.6', () => {
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

test('Teeworlds: accepts a player list that is longer than the player count or empty', () => {
  const sixteen = Array.from({ length: 16 }, (_, i) => player(`${i}`, i));
  const listed = statusOf(open().receive(vanilla(15, ...sixteen)));
  assert.deepEqual([listed.players, listed.playerList?.length], [15, 16]);
  const unlisted = statusOf(open().receive(vanilla(15)));
  assert.deepEqual([unlisted.players, unlisted.playerList], [15, undefined]);
});

test('Teeworlds: joins the packets of DDNet’s info in any order, and ignores duplicates', () => {
  const packets = [
    extended(4, extendedPlayer('a', 1)),
    more(1, extendedPlayer('b', 2), extendedPlayer('c', 3)),
    more(2, extendedPlayer('d', 4)),
  ];
  const whole = {
    name: 'DDNet',
    map: 'Kobra',
    version: '0.6.4',
    password: false,
    players: 4,
    maxplayers: 64,
    playerList: ['a', 'b', 'c', 'd'].map((name, i) => ({ name, score: i + 1 })),
  };
  for (const order of [
    [0, 1, 2],
    [2, 1, 0],
    [1, 1, 0, 0, 2],
  ]) {
    const exchange = open();
    const steps = order.map(i => exchange.receive(packets[i] ?? Buffer.alloc(0)));
    const last = steps.pop();
    assert.ok(last && steps.every(step => step.kind === 'more'));
    assert.deepEqual(statusOf(last), whole);
  }
});

test('Teeworlds: keeps the status if packets with players are missing or malformed', () => {
  const exchange = open();
  exchange.receive(more(1, extendedPlayer('b', 2)));
  assert.equal(exchange.partial(), undefined);
  exchange.receive(extended(3, extendedPlayer('a', 1)));
  assert.deepEqual(
    exchange
      .partial()
      ?.playerList?.map(({ name }) => name)
      .sort(),
    ['a', 'b'],
  );
  assert.equal(statusOf(exchange.receive(more(2, player('cut', 2)))).playerList, undefined);
  const tooMany = more(2, extendedPlayer('c', 1), extendedPlayer('d', 1));
  assert.equal(statusOf(exchange.receive(tooMany)).playerList, undefined);
});

test('Teeworlds: reads a packed number of five bytes as at most 2^31 - 1', () => {
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

test('Teeworlds: does not request the info of 0.7 if the server has already sent the info of 0.6', () => {
  const exchange = open();
  exchange.receive(extended(3, extendedPlayer('a', 1)));
  assert.equal(exchange.receive(token()).kind, 'more');
});

test('Teeworlds: reports a status immediately if the first packet of DDNet’s info contains no players', () => {
  assert.equal(statusOf(open().receive(extended(30))).players, 30);
  assert.equal(statusOf(open().receive(extended(0))).players, 0);
});

test('Teeworlds: reads the info in the format of Teeworlds 0.7', () => {
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

test('Teeworlds: rejects a reply with invalid or contradictory counts, numbers, packet numbers or headers', () => {
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
