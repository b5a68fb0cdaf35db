import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ANN, CHALLENGE, openA2s as open } from './a2s-exchange.ts';
import {
  bytes,
  cstring,
  goldsrcInfo,
  hltvInfo,
  i32,
  MESSAGE,
  playerReply,
  sourceInfo,
  u16,
  u64,
} from './bytes.ts';
import { packetsOf, statusOf } from './exchange.ts';

test('A2S: reads the status of an empty server from A2S_INFO, without a second request', () => {
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

test('A2S: decodes a text as Windows-1252 if its bytes are not valid UTF-8', () => {
  const reply = Buffer.from(sourceInfo({ name: 'caf#' }));
  reply[reply.indexOf('#')] = 0xe9;
  assert.equal(statusOf(open().receive(reply)).name, 'café');
});

test('A2S: drops the last character of a name if the server truncated the name within this character', () => {
  const reply = Buffer.from(sourceInfo({ name: '★ café #' }));
  reply[reply.indexOf('#')] = 0xe2;
  assert.equal(statusOf(open().receive(reply)).name, '★ café ');
});

test('A2S: reads the join port (port for players) from the optional fields of A2S_INFO, and skips the remaining optional fields', () => {
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

test('A2S: accepts extra bytes in A2S_INFO if an undocumented flag announces them', () => {
  const extra = bytes(0x82, u16(27016), 'whatever');
  assert.equal(statusOf(open().receive(sourceInfo({ extra }))).connectPort, 27016);
});

test('A2S: accepts the extra fields of the game The Ship: three bytes in the info and two numbers for each player', () => {
  const exchange = open();
  packetsOf(
    exchange.receive(sourceInfo({ appId: 2400, ship: bytes(1, 2, 3), players: 1, version: '1.0.0.16' })),
  );
  const status = statusOf(exchange.receive(playerReply([ANN], bytes(i32(4), i32(900)))));
  assert.equal(status.version, '1.0.0.16');
  assert.deepEqual(status.playerList, [ANN]);

  const brief = open();
  brief.receive(sourceInfo({ appId: 2400, ship: bytes(1, 2, 3), players: 1 }));
  assert.deepEqual(statusOf(brief.receive(playerReply([ANN]))).playerList, [ANN]);

  const other = open();
  other.receive(sourceInfo({ players: 1 }));
  assert.equal(statusOf(other.receive(playerReply([ANN], bytes(i32(4), i32(900))))).playerList, undefined);
});

test('A2S: reads the player counts of a Rust server from its keywords if a count is above 255', () => {
  const rust = (keywords: string) =>
    sourceInfo({ players: 94, maxplayers: 125, extra: bytes(0x21, cstring(keywords), u64(252490n)) });
  const big = open();
  big.receive(rust('mp300,cp271,v1'));
  assert.deepEqual([big.partial()?.players, big.partial()?.maxplayers], [271, 300]);
  const small = open();
  small.receive(rust('mp125,cp93,v1'));
  assert.deepEqual([small.partial()?.players, small.partial()?.maxplayers], [94, 125]);
});

test('A2S: reads a reply in the old GoldSrc format, with and without the fields of a mod', () => {
  const mod = bytes(cstring('http://a.example'), cstring(''), 0, i32(1), i32(184000000), 0, 1);
  for (const reply of [goldsrcInfo(0), goldsrcInfo(0, mod)]) {
    const { name, map, players, maxplayers, numbots, password } = statusOf(open().receive(reply));
    assert.deepEqual(
      [name, map, players, maxplayers, numbots, password],
      ['Old iron', 'crossfire', 0, 32, 2, true],
    );
  }
});

test('A2S: reads the reply of an HLTV proxy, which has no bot count and can have more than 255 spectators', () => {
  assert.deepEqual(statusOf(open().receive(hltvInfo(0, 128))), {
    name: 'HLTV',
    map: 'de_inferno',
    players: 0,
    maxplayers: 128,
    password: false,
  });
  const crowded = open();
  packetsOf(crowded.receive(hltvInfo(255, 255, bytes(i32(4000), i32(5120)))));
  assert.deepEqual([crowded.partial()?.players, crowded.partial()?.maxplayers], [4000, 5120]);
  assert.equal(statusOf(open().receive(hltvInfo(0, 8, bytes(2)))).numbots, 2);
  for (const cut of [hltvInfo(255, 255), hltvInfo(255, 255, i32(4000)), goldsrcInfo(0).subarray(0, -1)])
    assert.equal(open().receive(cut).kind, 'malformed');
});

test('A2S: rejects a reply that is truncated at any byte', () => {
  const full = sourceInfo({ extra: bytes(0xb1, u16(27999), u64(1n), cstring('a,b'), u64(730n)) });
  // The last part of an A2S_INFO reply, the extra data, is optional. Therefore a reply without this part is valid.
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

test('A2S: rejects a reply with extra bytes at its end, an unknown reply type, or no A2S header', () => {
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
