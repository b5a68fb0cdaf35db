import assert from 'node:assert/strict';
import { test } from 'node:test';
import { a2s, goldsrc } from '../../../prober/protocols/a2s.ts';
import { MORE, type Protocol } from '../../../prober/protocols/protocol.ts';
import type { FleetServer, Responder } from '../../fleet/responder.ts';
import { responder as sourceServer } from '../../fleet/responders/a2s.ts';
import { responder as goldsrcServer } from '../../fleet/responders/goldsrc.ts';
import {
  bytes,
  challengeReply,
  cstring,
  goldsrcInfo,
  hltvInfo,
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

const open = (protocol: Protocol = a2s) => {
  const exchange = openDatagrams(protocol);
  exchange.request();
  return exchange;
};
const hex = (packets: Buffer[]) => packets.map(packet => packet.toString('hex'));

test('A2S: the first request is the unpadded A2S_INFO request of 25 bytes', () => {
  assert.deepEqual(hex(openDatagrams(a2s).request()), [INFO]);
});

test('A2S: reads every field of a Source reply, and sends no second request to an empty server', () => {
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

test('A2S: decodes a text as Latin-1 if its bytes are not valid UTF-8', () => {
  const reply = Buffer.from(sourceInfo({ name: 'caf#' }));
  reply[reply.indexOf('#')] = 0xe9;
  assert.equal(statusOf(open().receive(reply)).name, 'café');
});

test('A2S: reads the join port from the extra data of A2S_INFO, and skips the other extra fields', () => {
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

test('A2S: accepts three extra bytes in the info and two extra numbers per player from the game The Ship', () => {
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

test('A2S: reads the player counts of a Rust server from its keywords if they do not fit into a byte', () => {
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

test('A2S: repeats the challenge of the server in the requests for info and players', () => {
  const exchange = open();
  assert.deepEqual(hex(packetsOf(exchange.receive(challengeReply(CHALLENGE)))), [`${INFO}0a0b0c0d`]);
  assert.deepEqual(hex(packetsOf(exchange.receive(sourceInfo({ players: 2 })))), ['ffffffff550a0b0c0d']);
  assert.deepEqual(statusOf(exchange.receive(playerReply([ANN, BOB]))).playerList, [ANN, BOB]);
});

test('A2S: handles a server that demands a challenge only for the player list', () => {
  const exchange = open();
  assert.deepEqual(hex(packetsOf(exchange.receive(sourceInfo({ players: 2 })))), ['ffffffff55ffffffff']);
  assert.deepEqual(hex(packetsOf(exchange.receive(challengeReply(CHALLENGE)))), ['ffffffff550a0b0c0d']);
  assert.deepEqual(statusOf(exchange.receive(playerReply([ANN, BOB]))).playerList, [ANN, BOB]);
});

test('A2S: sends at most three packets, even if the server demands a challenge each time', () => {
  const challenging = open();
  packetsOf(challenging.receive(challengeReply(CHALLENGE)));
  packetsOf(challenging.receive(challengeReply(CHALLENGE)));
  assert.equal(challenging.receive(challengeReply(CHALLENGE)).kind, 'malformed');

  const choosy = open();
  packetsOf(choosy.receive(challengeReply(CHALLENGE)));
  packetsOf(choosy.receive(sourceInfo({ players: 1 })));
  const status = statusOf(choosy.receive(challengeReply(CHALLENGE)));
  assert.equal(status.players, 1);
  assert.equal(status.playerList, undefined);
});

test('A2S: the exchange reports whether the server has demanded a challenge', () => {
  const exchange = open();
  assert.equal(exchange.challenged, false);
  exchange.receive(sourceInfo({ players: 1 }));
  assert.equal(exchange.challenged, false);
  exchange.receive(challengeReply(Buffer.alloc(4)));
  assert.equal(exchange.challenged, true);
});

test('A2S: sends the words `details` and `players` as requests to the old GoldSrc engine without Steam', () => {
  const exchange = openDatagrams(goldsrc);
  const details = [MESSAGE, Buffer.from('details\0')];
  assert.deepEqual(exchange.request(), [bytes(...details)]);
  const questions = packetsOf(exchange.receive(goldsrcInfo(2)));
  assert.deepEqual(questions, [bytes(MESSAGE, 'players', 0)]);
  const status = statusOf(exchange.receive(playerReply([ANN, BOB])));
  assert.deepEqual([status.name, status.playerList], ['Old iron', [ANN, BOB]]);
});

test('A2S: reports a status without a player list if the list is missing or malformed', () => {
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

test('A2S: ignores a player list before the info, and a duplicate of the info', () => {
  const exchange = open();
  assert.equal(exchange.receive(playerReply([ANN])).kind, 'more');
  exchange.receive(sourceInfo({ players: 1 }));
  assert.equal(exchange.receive(sourceInfo({ players: 9 })).kind, 'more');
  assert.equal(exchange.partial()?.players, 1);
});

test('A2S: ignores the entry "Max Players" that Counter-Strike sends instead of a hidden player list', () => {
  const standIn = { name: 'Max Players', score: 64, time: 0 };
  const listOf = (info: Buffer) => {
    const exchange = open();
    exchange.receive(info);
    return statusOf(exchange.receive(playerReply([standIn]))).playerList;
  };
  assert.deepEqual(listOf(sourceInfo({ appId: 730, players: 1 })), []);
  assert.deepEqual(listOf(sourceInfo({ appId: 0, players: 1, extra: bytes(0x01, u64(730n)) })), []);
  assert.deepEqual(listOf(sourceInfo({ appId: 730, players: 1, extra: bytes(0x01, u64(0n)) })), []);
  assert.deepEqual(listOf(sourceInfo({ appId: 240, players: 1 })), [standIn]);
});

const CROWD = Array.from({ length: 60 }, (_, i) => ({
  name: `Player ${i}`,
  score: i % 3 ? -1 : i,
  time: i + 0.5,
}));

for (const layout of ['source', 'source-2006', 'goldsrc'] satisfies SplitLayout[]) {
  test(`A2S: joins packets with the layout ${layout} in any order, and ignores duplicates`, () => {
    const parts = split(playerReply(CROWD), 200, layout).reverse();
    assert.ok(parts.length > 5);
    for (const protocol of layout === 'goldsrc' ? [47, 48] : [7, 17]) {
      const exchange = open();
      exchange.receive(sourceInfo({ protocol, players: 60 }));
      for (const part of parts.slice(0, -1)) {
        assert.equal(exchange.receive(part).kind, 'more');
        assert.equal(exchange.receive(part).kind, 'more');
      }
      assert.deepEqual(statusOf(exchange.receive(parts.at(-1) ?? Buffer.alloc(0))).playerList, CROWD);
    }
  });

  test(`A2S: joins packets with the layout ${layout} if A2S_INFO itself is split and the engine is unknown`, () => {
    const exchange = open();
    const [first, second] = split(sourceInfo({ name: 'x'.repeat(150), players: 0 }), 120, layout);
    assert.ok(first && second);
    assert.equal(exchange.receive(second).kind, 'more');
    assert.equal(statusOf(exchange.receive(first)).name, 'x'.repeat(150));
  });
}

test('A2S: recognises the first packet of a split reply at any packet size', () => {
  for (const layout of ['source', 'source-2006', 'goldsrc'] satisfies SplitLayout[]) {
    for (let size = 80; size < 250; size += 3) {
      const exchange = open();
      const info = sourceInfo({ protocol: layout === 'goldsrc' ? 48 : 17, players: 60 });
      for (const part of split(info, 80, layout)) exchange.receive(part);
      const steps = split(playerReply(CROWD), size, layout)
        .reverse()
        .map(part => exchange.receive(part));
      assert.deepEqual(statusOf(steps.at(-1) ?? MORE).playerList, CROWD, `${layout} at ${size}`);
    }
  }
});

test('A2S: discards the packets of an incomplete reply when a packet of another reply arrives', () => {
  const exchange = open();
  const [lost] = split(sourceInfo({ name: 'old', players: 0 }), 40, 'source', 1);
  const [first, second] = split(sourceInfo({ name: 'new', players: 0 }), 60, 'source', 2);
  assert.ok(lost && first && second);
  exchange.receive(lost);
  assert.equal(exchange.receive(first).kind, 'more');
  assert.equal(statusOf(exchange.receive(second)).name, 'new');
});

test('A2S: rejects packets of a split reply that contradict each other, and too many packets', () => {
  const reply = sourceInfo({ name: 'y'.repeat(200) });
  const [first, second] = split(reply, 100, 'source');
  assert.ok(first && second);
  const otherTotal = Buffer.from(second);
  otherTotal.writeUInt8(9, 8);
  const outside = Buffer.from(second);
  outside.writeUInt8(3, 9);
  const twice = Buffer.from(second);
  twice.write('zz', 20);
  for (const parts of [
    [first, otherTotal],
    [first, outside],
    [first, second.subarray(0, 9)],
    [second, twice, first],
  ]) {
    const exchange = open();
    const last = parts.map(part => exchange.receive(part)).at(-1);
    assert.equal(last?.kind, 'malformed');
  }

  const flooded = open();
  const flood = Array.from({ length: 33 }, (_, i) => flooded.receive(laterPart(i + 1, 10, 1)).kind);
  assert.deepEqual(new Set(flood.slice(0, 32)), new Set(['more']));
  assert.equal(flood[32], 'malformed');

  const drowned = open();
  for (const id of [1, 2]) {
    for (let i = 1; i < 31; i++) assert.equal(drowned.receive(laterPart(i, 2000, id)).kind, 'more');
  }
  assert.equal(drowned.receive(laterPart(31, 6000, 2)).kind, 'malformed');
});

/** Builds a packet of a reply with 40 packets. `number` must not be 0, the number of the first packet. */
function laterPart(number: number, length: number, id: number): Buffer {
  return bytes(Buffer.from('feffffff', 'hex'), i32(id), 40, number, u16(1200), Buffer.alloc(length, 'x'));
}

test('A2S: a repeated packet does not count towards the limit of packets and bytes', () => {
  const exchange = open();
  for (let i = 0; i < 50; i++) assert.equal(exchange.receive(laterPart(1, 2000, 1)).kind, 'more');
});

/** Size and CRC-32 of `playerReply(CROWD)`, then its bytes, compressed with `bzip2 -9`. */
const COMPRESSED_CROWD = Buffer.from(
  'cAQAAAujQlFCWmg5MUFZJlNZWbhX0wACSv////////////31UVFRc1UQYAQERAQEBEQERAREBAQERASwAXspjDGkGkyMhppkaaaaMjJiYI0NojJgjEyYA0bRpkCGkInpDIVPUAAAAAAAAAAAAAAAABmqSgDIAAANGgADQAAAAAAAAD1LWVQy7y/wqbFmScqsr7K1qZUuRTtpRg20hJJqSSSQTDJy8huSMqcOQkJCUjkJSOQKcBZoYxhQVIK100RMrZlmRVKKQirYObBIQi2EVi+TCLPDGEBoAEK4yMDRAICAGRQcAEQgoAMhBdCTbigagIEAAIONhgAhjT1DKfoFBuciAmEjXOc9DJhKoN6IqvJhKbkREYwkNrnvQEwkU3oirCBuREVDa1z0gobNm7c0000BVgyMRz/IJrbvLs+um9i0oIpCTGRRVZdjZt3M761GxbpXsFLHmrnzDtYZ6KQhkUVX2bazNQowAAAg6MOnrwn6omuKhljB+EY+dIR8pO6lMGIk8WK6pRVWJ7rjPWqBCGqPOSuxZY1MHFnAAyUUWWWZGk24oL9SbZGk24o0m3E4CBIABhG2m2JJre/xdyRThQkFm4V9MA==',
  'base64',
);
/** The texts `a` and `aaaaaaaaaa`, compressed with `bzip2 -9`. */
const ONE_A = Buffer.from('QlpoOTFBWSZTWRmTm2sAAAABACAAIAAhGEaC7kinChIDMnNtYA==', 'base64');
const TEN_A = Buffer.from('QlpoOTFBWSZTWVl40YsAAAJBAAEAIAAgACEAggsXckU4UJBZeNGL', 'base64');
/** A reply id with the highest bit set. This bit marks a compressed reply. */
const COMPRESSED_ID = -5;

for (const layout of ['source', 'source-2006'] satisfies SplitLayout[]) {
  test(`A2S: joins and decompresses packets with the layout ${layout} in any order`, () => {
    for (const size of [100, 1200]) {
      const exchange = open();
      exchange.receive(sourceInfo({ players: 60 }));
      const parts = split(COMPRESSED_CROWD, size, layout, COMPRESSED_ID).reverse();
      const steps = parts.map(part => exchange.receive(part));
      assert.deepEqual(
        new Set(steps.slice(0, -1).map(step => step.kind)),
        new Set(size === 100 ? ['more'] : []),
      );
      assert.deepEqual(statusOf(steps.at(-1) ?? MORE).playerList, CROWD);
    }
  });
}

const onlyPart = (reply: Buffer) => split(reply, 1200, 'source', COMPRESSED_ID)[0] ?? Buffer.alloc(0);

test('A2S: rejects a compressed reply with a wrong size or checksum', () => {
  const announced = (offset: number, value: number) => {
    const reply = Buffer.from(COMPRESSED_CROWD);
    reply.writeUInt32LE(value, offset);
    return reply;
  };
  const length = COMPRESSED_CROWD.readUInt32LE(0);
  const cases: [Buffer, RegExp][] = [
    [announced(0, length + 1), /instead of/],
    [announced(0, length - 1), /more than was announced/],
    [announced(0, 65537), /more than 65536 bytes/],
    [announced(4, 0), /wrong checksum/],
    [COMPRESSED_CROWD.subarray(0, -1), /cut short/],
    [bytes(i32(1), i32(0xe8b7be43 | 0), ONE_A), /without content/],
    [bytes(i32(10), i32(1276235248), TEN_A), /without content/],
  ];
  for (const [reply, reason] of cases) {
    const step = open().receive(onlyPart(reply));
    assert.ok(step.kind === 'malformed');
    assert.match(step.reason, reason);
  }
});

test('A2S: does not decompress a reply if its id does not mark it as compressed', () => {
  const exchange = open();
  exchange.receive(sourceInfo({ players: 60 }));
  const [part] = split(COMPRESSED_CROWD, 1200, 'source', 5);
  assert.equal(exchange.receive(part ?? Buffer.alloc(0)).kind, 'more');
});

test('A2S: reads an uncompressed reply although its id marks it as compressed', () => {
  for (const layout of ['source', 'source-2006', 'goldsrc'] satisfies SplitLayout[]) {
    const exchange = open();
    const reply = sourceInfo({ name: 'x'.repeat(150), players: 0 });
    const steps = split(reply, 120, layout, COMPRESSED_ID).map(part => exchange.receive(part));
    assert.equal(statusOf(steps.at(-1) ?? MORE).name, 'x'.repeat(150));
  }
});

test('A2S: rejects a reply that is truncated at any byte', () => {
  const full = sourceInfo({ extra: bytes(0xb1, u16(27999), u64(1n), cstring('a,b'), u64(730n)) });
  // A reply that is truncated before the extra data is valid, because the extra data is optional.
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

test('A2S: rejects extra bytes at the end of a reply, unknown reply types, and other data', () => {
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

/** Queries a fake server until the last reply. Returns the status, and whether the server has demanded a challenge. */
function converse(protocol: Protocol, responder: Responder, server: FleetServer) {
  const exchange = openDatagrams(protocol);
  let packets = exchange.request();
  for (;;) {
    const replies = packets.flatMap(packet =>
      responder.transport === 'udp' ? responder.respond(server, packet) : [],
    );
    const step = replies.map(reply => exchange.receive(reply)).at(-1) ?? MORE;
    if (step.kind !== 'send') return { status: statusOf(step), challenged: exchange.challenged };
    packets = step.packets;
  }
}

test('A2S: reads all facts and players of fake servers with 0, 1 and 250 players', () => {
  for (const count of [0, 1, 250]) {
    const players = Array.from({ length: count }, (_, i) => ({
      name: `Player ${i}`,
      score: i - 9,
      time: i * 7,
    }));
    const server = {
      name: 'Ä',
      map: 'de_nuke',
      maxplayers: 250,
      password: true,
      version: '1.2',
      players,
      port: 27066,
    };
    const said = { name: 'Ä', map: 'de_nuke', players: count, maxplayers: 250, password: true, numbots: 0 };
    const list = count > 0 ? { playerList: players } : {};
    assert.deepEqual(converse(a2s, sourceServer, server), {
      status: { ...said, version: '1.2', connectPort: 27066, ...list },
      challenged: true,
    });
    assert.deepEqual(converse(goldsrc, goldsrcServer, server), {
      status: { ...said, ...list },
      challenged: false,
    });
  }
});
