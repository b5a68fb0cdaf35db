import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bedrock } from '../../../prober/protocols/bedrock.ts';
import { bytes, pong, RAKNET_MAGIC } from './bytes.ts';
import { CONTEXT, openDatagrams, statusOf } from './exchange.ts';

const TEXT =
  'MCPE;§aCove\\; §lthe;786;1.21.60;3;40;13253860892328930865;Bedrock level;Survival;1;19132;19133;';
const open = () => openDatagrams(bedrock);

test('Bedrock: the request is an unconnected ping that contains the nonce', () => {
  const ping = bytes(1, Buffer.from('0102030405060708', 'hex'), RAKNET_MAGIC, Buffer.alloc(8));
  assert.deepEqual(open().request(), [ping]);
});

test('Bedrock: reads the name, map, version, number of players and player limit from the text of a pong (reply)', () => {
  assert.deepEqual(statusOf(open().receive(pong(CONTEXT.nonce, TEXT))), {
    name: '§aCove; §lthe',
    map: 'Bedrock level',
    version: '1.21.60',
    players: 3,
    maxplayers: 40,
  });
});

test('Bedrock: reads a pong (reply) of Minecraft Education that ends after the player limit', () => {
  assert.equal(statusOf(open().receive(pong(CONTEXT.nonce, 'MCEE;School;1;1.0;0;10'))).name, 'School');
});

test('Bedrock: ignores a pong with the number of another ping', () => {
  assert.equal(open().receive(pong(CONTEXT.nonce + 1n, TEXT)).kind, 'more');
});

test('Bedrock: rejects a reply that is truncated at any byte', () => {
  const reply = pong(CONTEXT.nonce, TEXT);
  for (let length = 0; length < reply.length; length++) {
    assert.equal(open().receive(reply.subarray(0, length)).kind, 'malformed', `cut at ${length}`);
  }
});

test('Bedrock: rejects a pong (reply) with a wrong type, wrong magic bytes, a wrong text length, an unknown edition, or invalid player numbers', () => {
  const noMagic = Buffer.from(pong(CONTEXT.nonce, TEXT));
  noMagic.writeUInt8(1, 20);
  for (const reply of [
    noMagic,
    bytes(pong(CONTEXT.nonce, TEXT), 0),
    pong(CONTEXT.nonce, TEXT, 12),
    pong(CONTEXT.nonce, 'MCXX;a;1;1.0;0;10;'),
    pong(CONTEXT.nonce, 'MCPE;a;1;1.0;none;10;'),
    pong(CONTEXT.nonce, 'MCPE;a;1;1.0;0'),
    pong(CONTEXT.nonce, ''),
    bytes(0x1d, pong(CONTEXT.nonce, TEXT).subarray(1)),
  ]) {
    assert.equal(open().receive(reply).kind, 'malformed', reply.toString('latin1'));
  }
});
