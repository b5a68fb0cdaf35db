import assert from 'node:assert/strict';
import { test } from 'node:test';
import { minecraft } from '../../../prober/protocols/minecraft.ts';
import { flattenChat } from '../../../prober/protocols/minecraft-chat.ts';
import { bytes, minecraftStatus, varInt } from './bytes.ts';
import { openStream, statusOf } from './exchange.ts';

const STATUS = {
  version: { name: 'Paper 1.21.4', protocol: 769 },
  players: {
    max: 50,
    online: 2,
    sample: [{ name: 'Ann', id: '…' }, { name: 'Bob' }, { id: 'nameless' }, null],
  },
  description: { text: 'Hello ', extra: ['§athere', { text: '!', extra: [{ translate: 'key.of.it' }] }] },
  favicon: `data:image/png;base64,${'A'.repeat(3000)}`,
};
const REPLY = minecraftStatus(JSON.stringify(STATUS));
const open = () => openStream(minecraft);
const withPlayers = (players: unknown) => minecraftStatus(JSON.stringify({ ...STATUS, players }));

test('Minecraft: sends handshake and status request in one write, and the handshake contains the host name as the caller wrote it', () => {
  const handshake = bytes(0, 47, 12, 'play.example', Buffer.from([0x63, 0xdd]), 1);
  assert.deepEqual(open().request(), [bytes(handshake.length, handshake, 1, 0)]);
});

test('Minecraft: reads the status in chunks of any size', () => {
  const expected = {
    name: 'Hello §athere!key.of.it',
    players: 2,
    maxplayers: 50,
    playerList: [{ name: 'Ann' }, { name: 'Bob' }],
    version: 'Paper 1.21.4',
  };
  assert.deepEqual(statusOf(open().receive(REPLY)), expected);
  for (const size of [1, 2, 3, 7, 1000]) {
    const exchange = open();
    let last = exchange.receive(Buffer.alloc(0));
    for (let at = 0; at < REPLY.length; at += size) last = exchange.receive(REPLY.subarray(at, at + size));
    assert.deepEqual(statusOf(last), expected, `in pieces of ${size}`);
  }
});

test('Minecraft: reports no status while the reply is incomplete', () => {
  for (let length = 0; length < REPLY.length; length++) {
    const exchange = open();
    assert.equal(exchange.receive(REPLY.subarray(0, length)).kind, 'more', `cut at ${length}`);
    assert.equal(exchange.partial(), undefined);
  }
});

test('Minecraft: ignores data that a mod appends after the JSON text', () => {
  const reply = minecraftStatus(JSON.stringify(STATUS), bytes(varInt(2), '{}'));
  assert.equal(statusOf(open().receive(reply)).players, 2);
});

test('Minecraft: reads a server that hides its player list, and a server without a version', () => {
  assert.deepEqual(statusOf(open().receive(withPlayers({ max: 5, online: 1 }))).playerList, []);
  const bare = minecraftStatus('{"players":{"max":5,"online":1},"description":"§lbare"}');
  assert.deepEqual(statusOf(open().receive(bare)), {
    name: '§lbare',
    players: 1,
    maxplayers: 5,
    playerList: [],
  });
});

test('Minecraft: reports a server that hides its player counts as online, without counts', () => {
  for (const players of [undefined, null]) {
    assert.deepEqual(statusOf(open().receive(withPlayers(players))), {
      name: 'Hello §athere!key.of.it',
      version: 'Paper 1.21.4',
    });
  }
});

test('Minecraft: rejects a reply that is not a status', () => {
  for (const reply of [
    bytes('HTTP/1.1 400 Bad Request\r\n\r\n'.repeat(8)),
    Buffer.from([0xff, 0xff, 0xff, 0xff, 0xff, 0xff]),
    bytes(varInt(256 * 1024 + 1)),
    bytes(0),
    bytes(2, 1, 0),
    bytes(1, 0),
    bytes(3, 0, 9, '{'),
    minecraftStatus('{"players":'),
    minecraftStatus('[]'),
    minecraftStatus('null'),
    minecraftStatus('{}'),
    minecraftStatus('{"text":"Server closed"}'),
    minecraftStatus('['.repeat(100_000)),
    withPlayers({ max: '50', online: 2 }),
    withPlayers({ max: 50 }),
    withPlayers([]),
  ]) {
    assert.equal(open().receive(reply).kind, 'malformed', reply.toString('latin1', 0, 60));
  }
});

test('Minecraft: rejects a kick message (the reply of servers before version 1.7) without waiting for more bytes', () => {
  const kick = Buffer.from('ff000e00500072006f0074006f', 'hex');
  assert.deepEqual(open().receive(kick), { kind: 'malformed', reason: 'kicks as servers before 1.7 do' });
  const longer = JSON.stringify({ ...STATUS, favicon: 'A'.repeat(3000) });
  // A Minecraft reply begins with its length, encoded as a VarInt. The padding makes this reply so long that the first
  // byte of the VarInt is 0xff. The reply is valid, although a kick message also begins with 0xff.
  const padding = (255 - ((minecraftStatus(longer).length - 2) % 128)) % 128;
  const reply = minecraftStatus(longer, Buffer.alloc(padding));
  assert.equal(reply[0], 0xff);
  assert.equal(statusOf(open().receive(reply)).players, 2);
});

test('Minecraft: converts text components to text only up to the maximum nesting depth and the maximum length', () => {
  let nested: unknown = 'deep';
  for (let i = 0; i < 10_000; i++) nested = { text: 'a', extra: [nested] };
  assert.match(flattenChat(nested), /^a+$/);
  assert.equal(flattenChat(Array.from({ length: 100_000 }, () => 'abc')).length, 4096);
  assert.equal(flattenChat({ translate: 'a.b', fallback: 'as said' }), 'as said');
  assert.equal(flattenChat(17), '');
});
