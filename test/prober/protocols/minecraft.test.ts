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

test('writes handshake and status request at once, with the name the caller used', () => {
  const handshake = bytes(0, 47, 12, 'play.example', Buffer.from([0x63, 0xdd]), 1);
  assert.deepEqual(open().request(), [bytes(handshake.length, handshake, 1, 0)]);
});

test('reads the status, however it is chopped', () => {
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

test('a reply cut short is never a status', () => {
  for (let length = 0; length < REPLY.length; length++) {
    const exchange = open();
    assert.equal(exchange.receive(REPLY.subarray(0, length)).kind, 'more', `cut at ${length}`);
    assert.equal(exchange.partial(), undefined);
  }
});

test('what some mods put behind the text is left there', () => {
  const reply = minecraftStatus(JSON.stringify(STATUS), bytes(varInt(2), '{}'));
  assert.equal(statusOf(open().receive(reply)).players, 2);
});

test('a server that hides who is on it, and one without a version', () => {
  assert.deepEqual(statusOf(open().receive(withPlayers({ max: 5, online: 1 }))).playerList, []);
  const bare = minecraftStatus('{"players":{"max":5,"online":1},"description":"§lbare"}');
  assert.deepEqual(statusOf(open().receive(bare)), {
    name: '§lbare',
    players: 1,
    maxplayers: 5,
    playerList: [],
  });
});

test('a server that hides how many are on it is online without a number', () => {
  for (const players of [undefined, null]) {
    assert.deepEqual(statusOf(open().receive(withPlayers(players))), {
      name: 'Hello §athere!key.of.it',
      version: 'Paper 1.21.4',
    });
  }
});

test('what is no status is malformed', () => {
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

test('a kick as before 1.7 is known at once for what it is', () => {
  const kick = Buffer.from('ff000e00500072006f0074006f', 'hex');
  assert.deepEqual(open().receive(kick), { kind: 'malformed', reason: 'kicks as servers before 1.7 do' });
  const longer = JSON.stringify({ ...STATUS, favicon: 'A'.repeat(3000) });
  // A packet of 127 bytes beyond a multiple of 128, whose length begins with the same byte.
  const padding = (255 - ((minecraftStatus(longer).length - 2) % 128)) % 128;
  const reply = minecraftStatus(longer, Buffer.alloc(padding));
  assert.equal(reply[0], 0xff);
  assert.equal(statusOf(open().receive(reply)).players, 2);
});

test('a component nested or repeated without end costs no more than its cap', () => {
  let nested: unknown = 'deep';
  for (let i = 0; i < 10_000; i++) nested = { text: 'a', extra: [nested] };
  assert.match(flattenChat(nested), /^a+$/);
  assert.equal(flattenChat(Array.from({ length: 100_000 }, () => 'abc')).length, 4096);
  assert.equal(flattenChat({ translate: 'a.b', fallback: 'as said' }), 'as said');
  assert.equal(flattenChat(17), '');
});
