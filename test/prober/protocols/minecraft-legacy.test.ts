import assert from 'node:assert/strict';
import { test } from 'node:test';
import { minecraftLegacy } from '../../../prober/protocols/minecraft-legacy.ts';
import { bytes, u16be } from './bytes.ts';
import { openStream, statusOf } from './exchange.ts';

const kick = (text: string): Buffer =>
  bytes(
    0xff,
    u16be(text.length),
    ...Array.from({ length: text.length }, (_, i) => u16be(text.charCodeAt(i))),
  );
const REPLY = kick('§1\0' + '47\0' + '1.4.2\0' + '§aA Minecraft Sérver\0' + '3\0' + '20');
const open = () => openStream(minecraftLegacy);

test('Minecraft before 1.7: the request is the two bytes fe 01', () => {
  assert.deepEqual(open().request(), [Buffer.from([0xfe, 0x01])]);
});

test('Minecraft before 1.7: reads the reply format of Minecraft 1.4 in chunks of any size', () => {
  const expected = { name: '§aA Minecraft Sérver', version: '1.4.2', players: 3, maxplayers: 20 };
  for (const size of [1, 2, 5, 1000]) {
    const exchange = open();
    let last = exchange.receive(Buffer.alloc(0));
    for (let at = 0; at < REPLY.length; at += size) last = exchange.receive(REPLY.subarray(at, at + size));
    assert.deepEqual(statusOf(last), expected, `in pieces of ${size}`);
  }
});

test('Minecraft before 1.7: reads a hand-made reply with the name `A`, 1 player and 20 slots', () => {
  const reply = Buffer.from('ff0006 0041 00a7 0031 00a7 0032 0030'.replaceAll(' ', ''), 'hex');
  assert.deepEqual(statusOf(open().receive(reply)), { name: 'A', players: 1, maxplayers: 20 });
});

test('Minecraft before 1.7: also reads the reply format of Minecraft 1.3 and older, even if the server name contains the separator §', () => {
  const status = statusOf(open().receive(kick('Old §ciron§0§8')));
  assert.deepEqual(status, { name: 'Old §ciron', players: 0, maxplayers: 8 });
  assert.equal(statusOf(open().receive(kick('§0§8'))).name, '');
});

test('Minecraft before 1.7: reports no status while the reply is incomplete', () => {
  for (let length = 0; length < REPLY.length; length++) {
    const exchange = open();
    assert.equal(exchange.receive(REPLY.subarray(0, length)).kind, 'more', `cut at ${length}`);
    assert.equal(exchange.partial(), undefined);
  }
});

test('Minecraft before 1.7: rejects data that is no kick message (the format of a reply), and a kick message without a valid status', () => {
  for (const reply of [
    bytes('HTTP/1.1 400 Bad Request\r\n'),
    bytes(0xfe, REPLY.subarray(1)),
    bytes(0xff, u16be(1025)),
    kick(''),
    kick('Outdated client!'),
    kick('§1\0' + '47\0' + '1.4.2\0' + 'name\0' + '3'),
    kick('§1\0' + '47\0' + '1.4.2\0' + 'name\0' + '3\0' + '20\0' + 'more'),
    kick('§1\0' + '47\0' + '1.4.2\0' + 'name\0' + 'three\0' + '20'),
    kick('name§-1§20'),
    kick('name§1§'),
    kick('1§20'),
  ]) {
    assert.equal(open().receive(reply).kind, 'malformed', reply.toString('hex'));
  }
});
