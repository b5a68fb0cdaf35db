import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unreal2 } from '../../../prober/protocols/unreal2.ts';
import { bytes, i32 } from './bytes.ts';
import { openDatagrams, packetsOf, statusOf } from './exchange.ts';

const open = () => openDatagrams(unreal2);
const HEADER = Buffer.from('80000000', 'hex');

/** Encodes a string of an Unreal 2 reply, less than 63 characters long, with one byte per character. */
const text = (value: string) => bytes(value.length + 1, Buffer.from(`${value}\0`, 'latin1'));
/** Encodes a string of an Unreal 2 reply, less than 63 characters long, with two bytes per character. */
const wide = (value: string) => bytes(0x80 | (value.length + 1), Buffer.from(`${value}\0`, 'utf16le'));

interface Info {
  port?: number;
  name?: Buffer;
  map?: Buffer;
  players?: number;
  tail?: Buffer;
}

const UT2004_TAIL = (flags: number) => bytes(i32(0), i32(flags), text('2'), 0, 0, 0);
const KILLING_FLOOR_TAIL = (flags: number) => bytes(i32(1), i32(10), i32(0), i32(flags), text('0'), 0, 0, 0);

function info({
  port = 7777,
  name = text('Old Docks'),
  map = text('DM-Rankin'),
  players = 0,
  tail,
}: Info = {}) {
  const counts = bytes(i32(players), i32(24));
  return bytes(
    HEADER,
    0,
    i32(0),
    0,
    i32(port),
    i32(0),
    name,
    map,
    text('xDeathMatch'),
    counts,
    tail ?? i32(0),
  );
}

const player = (number: number, name: string, ping: number, score: number) =>
  bytes(i32(number), text(name), i32(ping), i32(score), i32(0));
const players = (...list: Buffer[]) => bytes(HEADER, 2, ...list);

/**
 * Returns an Unreal 2 query in progress. It has received a server info with `count` players and requested the player
 * list.
 */
function openPlayers(count: number) {
  const exchange = open();
  exchange.request();
  packetsOf(exchange.receive(info({ players: count })));
  return exchange;
}
const STATUS = { name: 'Old Docks', map: 'DM-Rankin', players: 2, maxplayers: 24, connectPort: 7777 };

test('Unreal 2: requests the server info, then the player list', () => {
  const exchange = open();
  assert.deepEqual(exchange.request(), [Buffer.from('7900000000', 'hex')]);
  assert.equal(exchange.partial(), undefined);
  assert.deepEqual(packetsOf(exchange.receive(info({ players: 2 }))), [Buffer.from('7900000002', 'hex')]);
  assert.deepEqual(exchange.partial(), STATUS);
});

test('Unreal 2: does not request the players of an empty server, and leaves out a join port of 0', () => {
  const status = statusOf(open().receive(info({ port: 0 })));
  assert.deepEqual(status, { name: 'Old Docks', map: 'DM-Rankin', players: 0, maxplayers: 24 });
});

test('Unreal 2: reads players from several datagrams, and ignores repeated datagrams and entries that are teams', () => {
  const exchange = openPlayers(2);
  const first = players(player(20, 'Ann', 40, 12), player(0, 'Red Team', 0, 50));
  assert.equal(exchange.receive(first).kind, 'more');
  assert.equal(exchange.receive(first).kind, 'more');
  assert.equal(exchange.receive(info({ players: 2 })).kind, 'more');
  assert.deepEqual(statusOf(exchange.receive(players(player(7, 'Bob', 55, -3)))), {
    ...STATUS,
    numbots: 0,
    playerList: [
      { name: 'Ann', score: 12 },
      { name: 'Bob', score: -3 },
    ],
  });
});

test('Unreal 2: reports the players received so far if datagrams with other players are missing', () => {
  const exchange = openPlayers(2);
  assert.equal(exchange.receive(players()).kind, 'more');
  assert.deepEqual(exchange.partial(), STATUS);
  assert.equal(exchange.receive(players(player(7, 'Bob', 55, -3))).kind, 'more');
  assert.deepEqual(exchange.partial(), { ...STATUS, numbots: 0, playerList: [{ name: 'Bob', score: -3 }] });
});

test('Unreal 2: counts players with ping 0 as bots, and uses the list length as player count if the info has a smaller count', () => {
  const list = players(player(1, 'Ann', 40, 1), player(2, 'Gorge', 0, 2), player(3, 'Malcolm', 0, 3));
  const status = statusOf(openPlayers(1).receive(list));
  assert.deepEqual([status.players, status.numbots], [3, 2]);
});

test('Unreal 2: counts a bot only once if its datagram arrives twice', () => {
  const exchange = openPlayers(2);
  const bot = players(player(2, 'Gorge', 0, 2));
  exchange.receive(bot);
  exchange.receive(bot);
  assert.equal(exchange.partial()?.numbots, 1);
});

test('Unreal 2: reads the password flag from the server flags, and leaves it out for a game that sends no server flags', () => {
  const passwords = [
    UT2004_TAIL(0x21),
    UT2004_TAIL(0x20),
    KILLING_FLOOR_TAIL(0x21),
    KILLING_FLOOR_TAIL(0x20),
    i32(5),
  ];
  assert.deepEqual(
    passwords.map(tail => statusOf(open().receive(info({ tail }))).password),
    [true, false, true, false, undefined],
  );
});

test('Unreal 2: reads short and long strings with one or two bytes per character, and removes colour codes', () => {
  const long = 'x'.repeat(99);
  const nameOf = (name: Buffer) => statusOf(open().receive(info({ name }))).name;
  assert.equal(nameOf(wide('\u0421\u0435\u0440\u0432\u0435\u0440')), '\u0421\u0435\u0440\u0432\u0435\u0440');
  assert.equal(nameOf(bytes(0x83, Buffer.from('abc', 'utf16le'))), 'abc');
  assert.equal(nameOf(bytes(0)), '');
  assert.equal(nameOf(bytes(1, 0)), '');
  assert.equal(nameOf(bytes(0x40 | (100 & 0x3f), 100 >> 6, long, 0)), long);
  assert.equal(nameOf(bytes(0xc0 | (100 & 0x3f), 100 >> 6, Buffer.from(`${long}\0`, 'utf16le'))), long);
  assert.equal(nameOf(text('\x1b\xf8\x01@Old \x1b\x01\x02\x03Docks\x1b\x01')), 'Old Docks');
  assert.equal(nameOf(wide('\x1b\xf8\x01@Old')), 'Old');
});

test('Unreal 2: removes a colour code whose bytes are also valid UTF-8, and decodes the rest of the text as UTF-8', () => {
  const gold = bytes(Buffer.from('1bdaa520', 'hex'), 'Caf\u00e9', 0);
  const name = bytes(gold.length, gold);
  assert.equal(statusOf(open().receive(info({ name }))).name, 'Caf\u00e9');
});

test('Unreal 2: rejects a server info that is truncated at any byte', () => {
  const whole = info();
  for (let length = 0; length < whole.length; length++) {
    assert.equal(open().receive(whole.subarray(0, length)).kind, 'malformed', `cut at ${length}`);
  }
});

test('Unreal 2: rejects a server info with an invalid string or header, and waits for the info if a player list arrives first', () => {
  for (const reply of [
    info({ name: bytes(3, 'abc') }),
    info({ name: bytes(0x41, 0x81, 'x'.repeat(64), 0) }),
    bytes(1, 1, 1, 1, info().subarray(4)),
    bytes('\\hostname\\'),
  ]) {
    assert.equal(open().receive(reply).kind, 'malformed', reply.toString('latin1'));
  }
  assert.equal(open().receive(players()).kind, 'more');
});

test('Unreal 2: reports the players before the first malformed byte of a player list', () => {
  const crowd = Array.from({ length: 1025 }, (_, i) => player(i + 1, '', 1, 0));
  const cut = players(player(20, 'Ann', 40, 12), player(7, 'Bob', 55, -3)).subarray(0, -3);
  const status = statusOf(openPlayers(2).receive(cut));
  assert.deepEqual(status.playerList, [{ name: 'Ann', score: 12 }]);
  assert.deepEqual(statusOf(openPlayers(2).receive(Buffer.alloc(3))), STATUS);
  assert.equal(statusOf(openPlayers(2000).receive(players(...crowd))).playerList?.length, 1024);
});
