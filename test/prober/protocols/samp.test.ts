import assert from 'node:assert/strict';
import { test } from 'node:test';
import { samp } from '../../../prober/protocols/samp.ts';
import { bytes, i32, u16 } from './bytes.ts';
import { CONTEXT, openDatagrams, packetsOf, statusOf } from './exchange.ts';

/**
 * Address 192.0.2.1 (4 bytes) and port 25565 (2 bytes, little-endian) of the queried SA-MP server. Each request
 * contains them.
 */
const ADDRESSEE = Buffer.from('c0000201dd63', 'hex');
const asked = (letter: string): Buffer => bytes('SAMP', ADDRESSEE, letter);
const short = (text: string): Buffer => bytes(text.length, text);
const long = (text: string): Buffer => bytes(i32(text.length), text);
const info = (players: number): Buffer =>
  bytes(asked('i'), 1, u16(players), u16(300), long('Los Santos RP'), long('Roleplay'), long('English'));
const LIST = bytes(asked('c'), u16(2), short('Ann'), i32(-4), short('Bob'), i32(70_000));
const crowd = (count: number): Buffer =>
  bytes(asked('c'), u16(count), ...Array.from({ length: count }, () => bytes(short('x'), i32(0))));
const RULES = bytes(
  asked('r'),
  u16(2),
  short('mapname'),
  short('San Andreas'),
  short('version'),
  short('0.3.7-R2'),
);

const STATUS = { name: 'Los Santos RP', players: 2, maxplayers: 300, password: true };
const LISTED = {
  ...STATUS,
  playerList: [
    { name: 'Ann', score: -4 },
    { name: 'Bob', score: 70_000 },
  ],
};
const WHOLE = { ...LISTED, map: 'San Andreas', version: '0.3.7-R2' };
const open = () => {
  const exchange = openDatagrams(samp);
  exchange.request();
  return exchange;
};

test('SA-MP: a request contains the address and the port of the queried server', () => {
  assert.deepEqual(openDatagrams(samp).request(), [asked('i')]);
  assert.equal(samp.transport, 'udp');
  if (samp.transport !== 'udp') return;
  const [request] = samp.open({ ...CONTEXT, address: '192.0.2.7', port: 7777 }).request();
  assert.equal(request?.toString('hex'), '53414d50c0000207611e69');
});

test('SA-MP: requests info, then players, then rules, in three packets', () => {
  const exchange = open();
  assert.equal(exchange.partial(), undefined);
  assert.deepEqual(packetsOf(exchange.receive(info(2))), [asked('c')]);
  assert.deepEqual(exchange.partial(), STATUS);
  assert.deepEqual(packetsOf(exchange.receive(LIST)), [asked('r')]);
  assert.deepEqual(exchange.partial(), LISTED);
  assert.deepEqual(statusOf(exchange.receive(RULES)), WHOLE);
});

test('SA-MP: requests the player list only if the server has between 1 and 100 players', () => {
  for (const players of [0, 101]) assert.deepEqual(packetsOf(open().receive(info(players))), [asked('r')]);
  for (const players of [1, 100]) assert.deepEqual(packetsOf(open().receive(info(players))), [asked('c')]);
});

test('SA-MP: ignores duplicate replies, and a reply that does not repeat the address, port and type of the request', () => {
  for (let at = 4; at < 11; at++) {
    const other = info(2);
    other.writeUInt8(other.readUInt8(at) ^ 1, at);
    assert.equal(open().receive(other).kind, 'more', `byte ${at}`);
  }
  const exchange = open();
  exchange.receive(info(2));
  assert.equal(exchange.receive(info(2)).kind, 'more');
  assert.equal(exchange.receive(RULES).kind, 'more');
  assert.deepEqual(packetsOf(exchange.receive(LIST)), [asked('r')]);
});

test('SA-MP: rejects an info that is truncated, too long, or has wrong magic bytes', () => {
  const reply = info(2);
  for (let length = 0; length < reply.length; length++) {
    assert.equal(open().receive(reply.subarray(0, length)).kind, 'malformed', `cut at ${length}`);
  }
  assert.equal(open().receive(bytes(reply, 0)).kind, 'malformed');
  assert.equal(open().receive(bytes(asked('i'), 0, u16(1), u16(2), i32(-1), 'a')).kind, 'malformed');
  assert.equal(open().receive(bytes('SAMQ', reply.subarray(4))).kind, 'malformed');
});

test('SA-MP: leaves out the player list or the rules if they are malformed, and reports the rest of the status', () => {
  for (const bad of [LIST.subarray(0, -1), bytes(LIST, 0), crowd(201), bytes('junk')]) {
    const exchange = open();
    exchange.receive(info(2));
    assert.deepEqual(packetsOf(exchange.receive(bad)), [asked('r')], bad.toString('hex'));
    assert.deepEqual(statusOf(exchange.receive(RULES)), {
      ...STATUS,
      map: 'San Andreas',
      version: '0.3.7-R2',
    });
  }
  for (const bad of [RULES.subarray(0, -1), bytes(RULES, 0), bytes(asked('r'), u16(65535))]) {
    const exchange = open();
    exchange.receive(info(2));
    exchange.receive(LIST);
    assert.deepEqual(statusOf(exchange.receive(bad)), LISTED);
  }
});

test('SA-MP: accepts a player list that is longer than the player count in the info', () => {
  const exchange = open();
  exchange.receive(info(100));
  exchange.receive(crowd(101));
  assert.equal(exchange.partial()?.playerList?.length, 101);
});

test('SA-MP: reports an empty map and version if the rules do not contain them', () => {
  const exchange = open();
  exchange.receive(info(0));
  const { map, version } = statusOf(exchange.receive(bytes(asked('r'), u16(0))));
  assert.deepEqual([map, version], ['', '']);
});
