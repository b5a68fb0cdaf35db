import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mumble } from '../../../prober/protocols/mumble.ts';
import { openDatagrams, statusOf } from './exchange.ts';

// A reply of a Mumble server: version 1.3.4, nonce of the ping, 5 users, at most 300 users, bandwidth 72000 bit/s.
const REPLY = Buffer.from('00010304 0102030405060708 00000005 0000012c 00011940'.replaceAll(' ', ''), 'hex');
const open = () => openDatagrams(mumble);

test('Mumble: the request is four zero bytes and the nonce', () => {
  const ping = Buffer.from('000000000102030405060708', 'hex');
  assert.deepEqual(open().request(), [ping]);
});

test('Mumble: reads version, users and slots from the reply', () => {
  const status = statusOf(open().receive(REPLY));
  assert.deepEqual(status, { name: '', version: '1.3.4', players: 5, maxplayers: 300 });
});

test('Mumble: reads counts of 2^31 and more as positive numbers', () => {
  const full = Buffer.from(REPLY);
  full.writeUInt32BE(0xffffffff, 16);
  assert.equal(statusOf(open().receive(full)).maxplayers, 0xffffffff);
});

test('Mumble: ignores a reply that does not repeat the nonce of the request', () => {
  for (let at = 4; at < 12; at++) {
    const other = Buffer.from(REPLY);
    other.writeUInt8(0xff, at);
    assert.equal(open().receive(other).kind, 'more', `byte ${at}`);
  }
});

test('Mumble: rejects a reply that is shorter or longer than 24 bytes', () => {
  for (let length = 0; length < REPLY.length; length++) {
    assert.equal(open().receive(REPLY.subarray(0, length)).kind, 'malformed', `cut at ${length}`);
  }
  assert.equal(open().receive(Buffer.concat([REPLY, Buffer.alloc(1)])).kind, 'malformed');
});
