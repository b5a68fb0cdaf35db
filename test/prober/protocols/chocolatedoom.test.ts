import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chocolatedoom } from '../../../prober/protocols/chocolatedoom.ts';
import { bytes, cstring } from './bytes.ts';
import { openDatagrams, statusOf } from './exchange.ts';

const info = bytes(0, 14, cstring('Chocolate Doom 3.0.1'), 1, 3, 8, 2, 1, cstring('Peer Doom'));
const STATUS = { name: 'Peer Doom', players: 3, maxplayers: 8, version: 'Chocolate Doom 3.0.1' };
const receive = (reply: Buffer) => openDatagrams(chocolatedoom).receive(reply);

test('Chocolate Doom: the request contains only the packet type of a query', () => {
  assert.deepEqual(openDatagrams(chocolatedoom).request(), [bytes(0, 13)]);
});

test('Chocolate Doom: reads a reply with or without a list of protocols at its end', () => {
  assert.deepEqual(statusOf(receive(info)), STATUS);
  assert.deepEqual(statusOf(receive(bytes(info, 2, cstring('ONE'), cstring('TWO')))), STATUS);
});

test('Chocolate Doom: ignores messages that a server sends to the players of a running game', () => {
  assert.equal(receive(bytes(0, 3)).kind, 'more');
});

test('Chocolate Doom: rejects a truncated reply, extra bytes at its end, and unknown packet types', () => {
  for (let length = 0; length < info.length; length++)
    assert.equal(receive(info.subarray(0, length)).kind, 'malformed', `cut at ${length}`);
  for (const rest of [bytes(2, cstring('ONE')), bytes(1, 'ONE'), bytes(0, 0)])
    assert.equal(receive(bytes(info, rest)).kind, 'malformed');
  assert.equal(receive(bytes(1, 14)).kind, 'malformed');
});
