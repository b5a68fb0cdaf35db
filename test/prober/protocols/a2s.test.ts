import assert from 'node:assert/strict';
import { test } from 'node:test';
import { a2s } from '../../../prober/protocols/a2s.ts';
import {
  bytes,
  challengeReply,
  cstring,
  goldsrcInfo,
  i32,
  MESSAGE,
  playerReply,
  type SplitLayout,
  sourceInfo,
  split,
  u16,
  u64,
} from './bytes.ts';
import { openDatagrams, packetsOf, statusOf } from './exchange.ts';

const INFO = 'ffffffff54536f7572636520456e67696e6520517565727900';
const CHALLENGE = Buffer.from('0a0b0c0d', 'hex');
const ANN = { name: 'Ann', score: 12, time: 61.5 };
const BOB = { name: 'Böb', score: -3, time: 7 };

const open = () => {
  const exchange = openDatagrams(a2s);
  exchange.request();
  return exchange;
};
const hex = (packets: Buffer[]) => packets.map(packet => packet.toString('hex'));

test('asks with the plain 25 bytes', () => {
  assert.deepEqual(hex(openDatagrams(a2s).request()), [INFO]);
});

test('reads every field of the Source reply, and asks an empty server no further', () => {
  const reply = sourceInfo({
    name: 'Grüße',
    map: 'ctf_2fort',
    maxplayers: 24,
    bots: 3,
    password: 1,
    version: '9',
  });
  assert.deepEqual(statusOf(open().receive(reply)), {
    name: 'Grüße',
    map: 'ctf_2fort',
    players: 0,
    maxplayers: 24,
    numbots: 3,
    password: true,
    version: '9',
  });
});

test('text that is not UTF-8 is Latin-1', () => {
  const reply = Buffer.from(sourceInfo({ name: 'caf#' }));
  reply[reply.indexOf('#')] = 0xe9;
  assert.equal(statusOf(open().receive(reply)).name, 'café');
});

test('reads past all extra data, and takes the port to join from it', () => {
  const extra = bytes(
    0xf1,
    u16(27999),
    u64(90071992547409921n),
    u16(27020),
    cstring('tv'),
    cstring('a,b'),
    u64(730n),
  );
  assert.equal(statusOf(open().receive(sourceInfo({ extra }))).connectPort, 27999);
});

test('extra data under a flag nobody documented does not spoil the rest', () => {
  const extra = bytes(0x82, u16(27016), 'whatever');
  assert.equal(statusOf(open().receive(sourceInfo({ extra }))).connectPort, 27016);
});

test('The Ship has three bytes more, and two numbers more for each player', () => {
  const exchange = open();
  packetsOf(
    exchange.receive(sourceInfo({ appId: 2400, ship: bytes(1, 2, 3), players: 1, version: '1.0.0.16' })),
  );
  const status = statusOf(exchange.receive(playerReply([ANN], bytes(i32(4), i32(900)))));
  assert.equal(status.version, '1.0.0.16');
  assert.deepEqual(status.playerList, [ANN]);
});

test('Rust says in its keywords what does not fit into a byte', () => {
  const rust = (keywords: string) =>
    sourceInfo({ players: 94, maxplayers: 125, extra: bytes(0x21, cstring(keywords), u64(252490n)) });
  const big = open();
  big.receive(rust('mp300,cp271,v1'));
  assert.deepEqual([big.partial()?.players, big.partial()?.maxplayers], [271, 300]);
  const small = open();
  small.receive(rust('mp125,cp93,v1'));
  assert.deepEqual([small.partial()?.players, small.partial()?.maxplayers], [94, 125]);
});

test('reads the old GoldSrc reply, of a mod too', () => {
  const mod = bytes(cstring('http://a.example'), cstring(''), 0, i32(1), i32(184000000), 0, 1);
  for (const reply of [goldsrcInfo(0), goldsrcInfo(0, mod)]) {
    const { name, map, players, maxplayers, numbots, password } = statusOf(open().receive(reply));
    assert.deepEqual(
      [name, map, players, maxplayers, numbots, password],
      ['Old iron', 'crossfire', 0, 32, 2, true],
    );
  }
});

test('a challenge is sent back, with the question for the status and with that for the players', () => {
  const exchange = open();
  assert.deepEqual(hex(packetsOf(exchange.receive(challengeReply(CHALLENGE)))), [`${INFO}0a0b0c0d`]);
  assert.deepEqual(hex(packetsOf(exchange.receive(sourceInfo({ players: 2 })))), ['ffffffff550a0b0c0d']);
  assert.deepEqual(statusOf(exchange.receive(playerReply([ANN, BOB]))).playerList, [ANN, BOB]);
});

test('a server that challenges for the players only', () => {
  const exchange = open();
  assert.deepEqual(hex(packetsOf(exchange.receive(sourceInfo({ players: 2 })))), ['ffffffff55ffffffff']);
  assert.deepEqual(hex(packetsOf(exchange.receive(challengeReply(CHALLENGE)))), ['ffffffff550a0b0c0d']);
  assert.deepEqual(statusOf(exchange.receive(playerReply([ANN, BOB]))).playerList, [ANN, BOB]);
});

test('never sends more than three packets', () => {
  const challenging = open();
  packetsOf(challenging.receive(challengeReply(CHALLENGE)));
  packetsOf(challenging.receive(challengeReply(CHALLENGE)));
  assert.equal(challenging.receive(challengeReply(CHALLENGE)).kind, 'malformed');
  assert.deepEqual(challenging.request(), []);

  const choosy = open();
  packetsOf(choosy.receive(challengeReply(CHALLENGE)));
  packetsOf(choosy.receive(sourceInfo({ players: 1 })));
  const status = statusOf(choosy.receive(challengeReply(CHALLENGE)));
  assert.equal(status.players, 1);
  assert.equal(status.playerList, undefined);
});

test('after silence asks again for what is missing', () => {
  const exchange = open();
  packetsOf(exchange.receive(challengeReply(CHALLENGE)));
  assert.equal(exchange.partial(), undefined);
  assert.deepEqual(hex(exchange.request()), [`${INFO}0a0b0c0d`]);
  assert.equal(statusOf(exchange.receive(sourceInfo({ players: 5 }))).players, 5);
});

test('without its player list a status still stands', () => {
  const silent = open();
  silent.receive(sourceInfo({ players: 5 }));
  assert.equal(silent.partial()?.players, 5);
  for (const reply of [
    playerReply([ANN]).subarray(0, -1),
    bytes(playerReply([ANN]), 0),
    Buffer.from('junk'),
  ]) {
    const exchange = open();
    exchange.receive(sourceInfo({ players: 5 }));
    const status = statusOf(exchange.receive(reply));
    assert.equal(status.players, 5);
    assert.equal(status.playerList, undefined);
  }
});

test('late and doubled messages are waited out', () => {
  const exchange = open();
  assert.equal(exchange.receive(playerReply([ANN])).kind, 'more');
  exchange.receive(sourceInfo({ players: 1 }));
  assert.equal(exchange.receive(sourceInfo({ players: 9 })).kind, 'more');
  assert.equal(exchange.partial()?.players, 1);
});

test('the player that Counter-Strike puts in place of a hidden list is none', () => {
  const exchange = open();
  exchange.receive(sourceInfo({ appId: 730, players: 1 }));
  const status = statusOf(exchange.receive(playerReply([{ name: 'Max Players', score: 64, time: 0 }])));
  assert.deepEqual(status.playerList, []);
});

const CROWD = Array.from({ length: 60 }, (_, i) => ({
  name: `Player ${i}`,
  score: i % 3 ? -1 : i,
  time: i + 0.5,
}));

for (const layout of ['source', 'source-2006', 'goldsrc'] satisfies SplitLayout[]) {
  test(`puts ${layout} parts together, in any order, each once`, () => {
    const exchange = open();
    exchange.receive(sourceInfo({ protocol: layout === 'goldsrc' ? 48 : 17, players: 60 }));
    const parts = split(playerReply(CROWD), 200, layout).reverse();
    assert.ok(parts.length > 5);
    for (const part of parts.slice(0, -1)) {
      assert.equal(exchange.receive(part).kind, 'more');
      assert.equal(exchange.receive(part).kind, 'more');
    }
    assert.deepEqual(statusOf(exchange.receive(parts.at(-1) ?? Buffer.alloc(0))).playerList, CROWD);
  });

  test(`a status in ${layout} parts is read before the engine is known`, () => {
    const exchange = open();
    const [first, second] = split(sourceInfo({ name: 'x'.repeat(150), players: 0 }), 120, layout);
    assert.ok(first && second);
    assert.equal(exchange.receive(second).kind, 'more');
    assert.equal(statusOf(exchange.receive(first)).name, 'x'.repeat(150));
  });
}

test('parts of another reply begin anew', () => {
  const exchange = open();
  const [lost] = split(sourceInfo({ name: 'old', players: 0 }), 40, 'source', 1);
  const [first, second] = split(sourceInfo({ name: 'new', players: 0 }), 60, 'source', 2);
  assert.ok(lost && first && second);
  exchange.receive(lost);
  assert.equal(exchange.receive(first).kind, 'more');
  assert.equal(statusOf(exchange.receive(second)).name, 'new');
});

test('refuses parts that are compressed, contradict each other, or are too many', () => {
  const reply = sourceInfo({ name: 'y'.repeat(200) });
  const [first, second] = split(reply, 100, 'source');
  assert.ok(first && second);
  const compressed = Buffer.from(first);
  compressed.writeUInt8(0x80, 7);
  assert.deepEqual(open().receive(compressed), { kind: 'malformed', reason: 'split and bzip2-compressed' });

  const otherTotal = Buffer.from(second);
  otherTotal.writeUInt8(9, 8);
  const twice = Buffer.from(second);
  twice.write('zz', 20);
  for (const parts of [
    [first, otherTotal],
    [first, second.subarray(0, 9)],
    [second, twice, first],
  ]) {
    const exchange = open();
    const last = parts.map(part => exchange.receive(part)).at(-1);
    assert.equal(last?.kind, 'malformed');
  }

  const flooded = open();
  const flood = Array.from({ length: 33 }, (_, i) => {
    const part = Buffer.from(second);
    part.writeUInt8(40, 8);
    part.writeUInt8(i + 1, 9);
    return flooded.receive(part).kind;
  });
  assert.deepEqual(new Set(flood.slice(0, 32)), new Set(['more']));
  assert.equal(flood[32], 'malformed');
});

test('a reply cut short anywhere is malformed', () => {
  const full = sourceInfo({ extra: bytes(0xb1, u16(27999), u64(1n), cstring('a,b'), u64(730n)) });
  // A server without extra data ends just there: that cut is another whole reply.
  const withoutExtra = sourceInfo().length;
  for (let length = 0; length < full.length; length++) {
    const kind = open().receive(full.subarray(0, length)).kind;
    assert.equal(kind, length === withoutExtra ? 'done' : 'malformed', `cut at ${length}`);
  }
  const old = goldsrcInfo(0);
  for (let length = 0; length < old.length; length++) {
    assert.equal(open().receive(old.subarray(0, length)).kind, 'malformed', `cut at ${length}`);
  }
});

test('bytes too many are malformed', () => {
  for (const reply of [
    bytes(goldsrcInfo(0), 0),
    bytes(sourceInfo({ extra: bytes(0x80, u16(1)) }), 1),
    bytes(sourceInfo({ extra: bytes(0x00) }), 1),
    bytes(MESSAGE, 'A', CHALLENGE, 0),
    bytes(MESSAGE, 'Z'),
    Buffer.from('0123456789'),
    Buffer.alloc(0),
  ]) {
    assert.equal(open().receive(reply).kind, 'malformed', reply.toString('latin1'));
  }
});
