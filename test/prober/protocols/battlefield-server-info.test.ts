import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  BF3,
  BF3_WORDS,
  hear,
  info,
  openBattlefield as open,
  RESPONSE,
  SEQUENCE,
  VERSION,
} from './battlefield-packets.ts';
import { bytes, i32 } from './bytes.ts';
import { statusOf } from './exchange.ts';

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
    // A server info with nine words is malformed. Its ninth word says that the score of one team follows, but the tenth
    // word, with this score, is missing.
    if (count === 9) continue;
    assert.deepEqual(
      statusOf(hear(open(), info(...words.slice(0, count)), VERSION)),
      status,
      `${count} words`,
    );
  }
});

test('Battlefield: omits the join port (the port for players) if it is invalid', () => {
  for (const address of ['192.0.2.7', '192.0.2.7:0', '192.0.2.7:65536', ':', 'a:b']) {
    const step = hear(open(), info(...BF3_WORDS.with(2, '0').with(18, address)), VERSION);
    assert.equal(statusOf(step).connectPort, undefined, address);
  }
});

test('Battlefield: reports no status while the server info is incomplete', () => {
  for (let length = 0; length < BF3.length; length++) {
    const exchange = open();
    assert.equal(exchange.receive(BF3.subarray(0, length)).kind, 'more', `cut at ${length}`);
    assert.equal(exchange.partial(), undefined);
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
