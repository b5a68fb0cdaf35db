import assert from 'node:assert/strict';
import { test } from 'node:test';
import { battlefield } from '../../../prober/protocols/battlefield.ts';
import type { Step } from '../../../prober/protocols/protocol.ts';
import {
  BF3,
  BF3_WORDS,
  hear,
  info,
  openBattlefield as open,
  packet,
  players,
  RESPONSE,
  SEQUENCE,
  VERSION,
  version,
} from './battlefield-packets.ts';
import { openStream, packetsOf, statusOf } from './exchange.ts';

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

test('Battlefield: reads replies in chunks of any size, even if the version arrives before the server info', () => {
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

test('Battlefield: reports a status if the server refuses the requests for version and players, but not if it refuses the info request', () => {
  const { version: _, ...versionless } = STATUS;
  const exchange = open();
  assert.equal(hear(exchange, BF3, version('UnknownCommand')).kind, 'send');
  assert.deepEqual(statusOf(hear(exchange, players('LogInRequired', '1', 'name', '1', 'Ann'))), versionless);
  const refused = hear(open(), info('UnknownCommand'));
  assert.deepEqual(refused, { kind: 'malformed', reason: 'serverInfo: UnknownCommand' });
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
