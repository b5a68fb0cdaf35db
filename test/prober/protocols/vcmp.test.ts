import assert from 'node:assert/strict';
import { test } from 'node:test';
import { vcmp } from '../../../prober/protocols/vcmp.ts';
import { bytes, i32, u16 } from './bytes.ts';
import { openDatagrams, packetsOf, statusOf } from './exchange.ts';

const ADDRESSEE = Buffer.from('c0000201dd63', 'hex');
const replied = (letter: string): Buffer => bytes('MP04', ADDRESSEE, letter);
const long = (text: string): Buffer => bytes(i32(text.length), text);
const VERSION = Buffer.from('04rel004\0\x07??', 'latin1');
const info = (players: number, version = VERSION): Buffer =>
  bytes(replied('i'), version, 0, u16(players), u16(50), long('Vice'), long('DM'), long('Vice City'));
const LIST = bytes(replied('c'), u16(2), 3, 'Ann', 4, 'Jose');

const STATUS = {
  name: 'Vice',
  map: 'Vice City',
  players: 2,
  maxplayers: 50,
  password: false,
  version: '04rel004',
};
const open = () => {
  const exchange = openDatagrams(vcmp);
  exchange.request();
  return exchange;
};

test('VC:MP: requests the server info and the player names, but no rules', () => {
  const exchange = openDatagrams(vcmp);
  assert.deepEqual(exchange.request(), [bytes('VCMP', ADDRESSEE, 'i')]);
  assert.deepEqual(packetsOf(exchange.receive(info(2))), [bytes('VCMP', ADDRESSEE, 'c')]);
  const playerList = [{ name: 'Ann' }, { name: 'Jose' }];
  assert.deepEqual(statusOf(exchange.receive(LIST)), { ...STATUS, playerList });
});

test('VC:MP: reports a player list only if the server has between 1 and 100 players', () => {
  for (const players of [0, 101])
    assert.deepEqual(statusOf(open().receive(info(players))), { ...STATUS, players });
});

test('VC:MP: reads a version text that fills its field and therefore has no zero byte at the end', () => {
  assert.equal(statusOf(open().receive(info(0, Buffer.from('012345678901')))).version, '012345678901');
});

test('VC:MP: rejects a server info that is truncated or has wrong magic bytes', () => {
  const reply = info(0);
  for (let length = 0; length < reply.length; length++) {
    assert.equal(open().receive(reply.subarray(0, length)).kind, 'malformed', `cut at ${length}`);
  }
  assert.equal(open().receive(bytes('VCMP', reply.subarray(4))).kind, 'malformed');
});

test('VC:MP: reports the status without a player list if the list is malformed', () => {
  for (const bad of [LIST.subarray(0, -1), bytes(LIST, 0)]) {
    const exchange = open();
    exchange.receive(info(2));
    assert.deepEqual(statusOf(exchange.receive(bad)), STATUS);
  }
});
