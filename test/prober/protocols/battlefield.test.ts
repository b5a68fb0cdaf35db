import assert from 'node:assert/strict';
import { test } from 'node:test';
import { battlefield } from '../../../prober/protocols/battlefield.ts';
import type { Step, StreamExchange } from '../../../prober/protocols/protocol.ts';
import { bytes, i32 } from './bytes.ts';
import { openStream, packetsOf, statusOf } from './exchange.ts';

/** `SEQUENCE`: the first sequence number, the lower 30 bits of the nonce. `RESPONSE`: the bit that marks a response. */
const SEQUENCE = 0x05060708;
const RESPONSE = 0x40000000;

function packet(sequence: number, ...words: string[]): Buffer {
  const body = bytes(...words.map(word => bytes(i32(Buffer.byteLength(word)), word, 0)));
  return bytes(i32(sequence), i32(12 + body.length), i32(words.length), body);
}
const info = (...words: string[]): Buffer => packet(SEQUENCE | RESPONSE, ...words);
const version = (...words: string[]): Buffer => packet((SEQUENCE + 1) | RESPONSE, ...words);
const players = (...words: string[]): Buffer => packet((SEQUENCE + 2) | RESPONSE, ...words);

const BF3_WORDS = [
  ...['OK', 'Métro 24/7', '2', '64', 'RushLarge0', 'MP_001', '0', '2', '2', '168', '2277.5', '0', ''],
  ...[
    'true',
    'true',
    'false',
    '159751',
    '921',
    '192.0.2.7:25200',
    'v1.893',
    'true',
    'NAm',
    'iad',
    'US',
    'false',
  ],
];
const BF3 = info(...BF3_WORDS);
const VERSION = version('OK', 'BF3', '1149977');
const LIST = players(
  ...['OK', '4', 'name', 'guid', 'teamId', 'score', '2'],
  ...['Ann', '', '1', '4297', 'Bob', 'EA_1', '2', '-50'],
);

const STATUS = {
  name: 'Métro 24/7',
  map: 'MP_001',
  players: 2,
  maxplayers: 64,
  password: false,
  version: '1149977',
  connectPort: 25200,
};
const LISTED = {
  ...STATUS,
  playerList: [
    { name: 'Ann', score: 4297 },
    { name: 'Bob', score: -50 },
  ],
};
const open = (): StreamExchange => {
  const exchange = openStream(battlefield);
  exchange.request();
  return exchange;
};
const hear = (exchange: StreamExchange, ...packets: Buffer[]): Step =>
  exchange.receive(Buffer.concat(packets));

test('Battlefield: requests server info and version, then the players', () => {
  const exchange = openStream(battlefield);
  assert.deepEqual(
    exchange.request().map(request => request.toString('hex')),
    [
      '08070605 1b000000 01000000 0a000000 736572766572496e666f 00',
      '09070605 18000000 01000000 07000000 76657273696f6e 00',
    ].map(hex => hex.replaceAll(' ', '')),
  );
  assert.equal(hear(exchange, BF3).kind, 'more');
  const [list, ...others] = packetsOf(hear(exchange, VERSION));
  assert.deepEqual(others, []);
  const expected = '0a070605 24000000 02000000 0b000000 6c697374506c6179657273 00 03000000 616c6c 00';
  assert.equal(list?.toString('hex'), expected.replaceAll(' ', ''));
  assert.deepEqual(exchange.partial(), STATUS);
  assert.deepEqual(statusOf(hear(exchange, LIST)), LISTED);
});

test('Battlefield: reads the replies in chunks of any size and in any order', () => {
  for (const size of [1, 3, 11, 1000]) {
    const exchange = open();
    let last: Step = { kind: 'more' };
    for (const part of [Buffer.concat([VERSION, BF3]), LIST]) {
      for (let at = 0; at < part.length; at += size) last = exchange.receive(part.subarray(at, at + size));
    }
    assert.deepEqual(statusOf(last), LISTED, `in pieces of ${size}`);
  }
});

test('Battlefield: does not request the players of an empty server', () => {
  const empty = info(...BF3_WORDS.with(2, '0'));
  assert.deepEqual(statusOf(hear(open(), empty, VERSION)), { ...STATUS, players: 0 });
});

test('Battlefield: reads the join port of a Bad Company 2 server, which sends a mod and a map pack before the address', () => {
  const words = ['OK', 'BC2', '0', '32', 'CONQUEST', 'Levels/MP_003CQ', '1', '2', '0', '0', ''];
  const reply = info(
    ...words,
    'true',
    'true',
    'true',
    '5',
    '6',
    'VIETNAM',
    '1',
    '192.0.2.7:19567',
    '',
    'false',
    'EU',
  );
  const { name, map, password, connectPort } = statusOf(hear(open(), reply, VERSION));
  assert.deepEqual([name, map, password, connectPort], ['BC2', 'Levels/MP_003CQ', true, 19567]);
});

test('Battlefield: reads a short server info, and leaves out its missing optional fields', () => {
  const words = ['OK', 'Early', '0', '24', 'sp', 'mp_01', '0', '1', '1', '5', '100'];
  const status = { name: 'Early', map: 'mp_01', players: 0, maxplayers: 24, version: '1149977' };
  for (let count = 6; count <= words.length; count++) {
    // Skips an info of nine words. Its ninth word announces one team score, but the score is missing.
    if (count === 9) continue;
    assert.deepEqual(
      statusOf(hear(open(), info(...words.slice(0, count)), VERSION)),
      status,
      `${count} words`,
    );
  }
});

test('Battlefield: leaves out an invalid join port', () => {
  for (const address of ['192.0.2.7', '192.0.2.7:0', '192.0.2.7:65536', ':', 'a:b']) {
    const step = hear(open(), info(...BF3_WORDS.with(2, '0').with(18, address)), VERSION);
    assert.equal(statusOf(step).connectPort, undefined, address);
  }
});

test('Battlefield: ignores event messages, unrequested replies and repeated replies', () => {
  const chatter = [
    packet(7, 'player.onChat', 'Ann', 'hi'),
    packet(SEQUENCE, 'serverInfo'),
    packet((SEQUENCE + 2) | RESPONSE, 'OK', '1'),
    packet((SEQUENCE - 1) | RESPONSE, 'UnknownCommand'),
  ];
  const exchange = open();
  const repeated = info(...BF3_WORDS.with(1, 'Another'));
  assert.equal(hear(exchange, ...chatter, BF3, ...chatter, repeated).kind, 'more');
  assert.equal(hear(exchange, VERSION).kind, 'send');
  assert.deepEqual(exchange.partial(), STATUS);
});

test('Battlefield: leaves out the version or player list if the server refuses it; a refused server info is malformed', () => {
  const { version: _, ...versionless } = STATUS;
  const exchange = open();
  assert.equal(hear(exchange, BF3, version('UnknownCommand')).kind, 'send');
  assert.deepEqual(statusOf(hear(exchange, players('LogInRequired', '1', 'name', '1', 'Ann'))), versionless);
  const refused = hear(open(), info('UnknownCommand'));
  assert.deepEqual(refused, { kind: 'malformed', reason: 'serverInfo: UnknownCommand' });
});

test('Battlefield: reports no status while the server info is incomplete', () => {
  for (let length = 0; length < BF3.length; length++) {
    const exchange = open();
    assert.equal(exchange.receive(BF3.subarray(0, length)).kind, 'more', `cut at ${length}`);
    assert.equal(exchange.partial(), undefined);
  }
});

test('Battlefield: reports the status without a player list if the list is malformed', () => {
  for (const words of [
    ['OK', '2', 'name', 'score', '2', 'Ann', '1', 'Bob'],
    ['OK', '2', 'name', 'score', '1', 'Ann', '1', 'Bob'],
    ['OK', '1', 'guid', '1', 'EA_1'],
    ['OK', '33', ...Array.from({ length: 33 }, () => 'name'), '0'],
    ['OK', '1', 'name', '1025', ...Array.from({ length: 1025 }, () => 'Ann')],
    ['OK'],
  ]) {
    const exchange = open();
    hear(exchange, BF3, VERSION);
    assert.deepEqual(statusOf(hear(exchange, players(...words))), STATUS, words.join());
  }
});

test('Battlefield: rejects an invalid packet and an invalid server info', () => {
  const unended = Buffer.from(BF3);
  unended.writeUInt8(1, BF3.length - 1);
  const overlong = bytes(BF3, 0);
  overlong.writeUInt32LE(overlong.length, 4);
  const scores = (count: number): string[] => [
    String(count),
    ...Array.from({ length: count }, () => '1'),
    '0',
  ];
  assert.equal(hear(open(), info('OK', 'n', '0', '24', 'mode', 'map', '0', '1', ...scores(32))).kind, 'more');
  for (const reply of [
    bytes('HTTP/1.1 400 Bad Request\r\n'),
    bytes(i32(0), i32(11), i32(0)),
    bytes(i32(0), i32(64 * 1024 + 1), i32(0)),
    bytes(i32(SEQUENCE | RESPONSE), i32(12), i32(-1)),
    bytes(i32(SEQUENCE | RESPONSE), i32(13), i32(0), 0),
    unended,
    overlong,
    info(),
    info('OK', 'name', '0', '24', 'mode'),
    info('OK', 'name', 'none', '24', 'mode', 'map'),
    info('OK', 'name', '0', '-1', 'mode', 'map'),
    info('OK', 'name', '0', '24', 'mode', 'map', '0', '1', ...scores(33)),
    info('OK', 'name', '0', '24', 'mode', 'map', '0', '1', '2', '5'),
  ]) {
    assert.equal(hear(open(), reply).kind, 'malformed', reply.toString('hex'));
  }
});
