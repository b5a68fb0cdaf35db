import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MORE } from '../../../prober/protocols/protocol.ts';
import { openA2s as open } from './a2s-exchange.ts';
import { bytes, i32, playerReply, type SplitLayout, sourceInfo, split, u16 } from './bytes.ts';
import { statusOf } from './exchange.ts';

const CROWD = Array.from({ length: 60 }, (_, i) => ({
  name: `Player ${i}`,
  score: i % 3 ? -1 : i,
  time: i + 0.5,
}));

for (const layout of ['source', 'source-2006', 'goldsrc'] satisfies SplitLayout[]) {
  test(`A2S: joins the packets of a split reply in any order, and ignores duplicates (packet headers of ${layout})`, () => {
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

  test(`A2S: joins the packets of a split A2S_INFO reply (packet headers of ${layout})`, () => {
    const exchange = open();
    const [first, second] = split(sourceInfo({ name: 'x'.repeat(150), players: 0 }), 120, layout);
    assert.ok(first && second);
    assert.equal(exchange.receive(second).kind, 'more');
    assert.equal(statusOf(exchange.receive(first)).name, 'x'.repeat(150));
  });
}

test('A2S: joins a split player list that arrives in reverse order, for packet sizes from 80 to 250 bytes', () => {
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

test('A2S: rejects a split reply whose packets contradict each other, or that has too many packets or bytes', () => {
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

/**
 * Builds packet `number` of a split reply with 40 packets. `number` must not be 0, because the first packet needs a
 * different payload.
 */
function laterPart(number: number, length: number, id: number): Buffer {
  return bytes(Buffer.from('feffffff', 'hex'), i32(id), 40, number, u16(1200), Buffer.alloc(length, 'x'));
}

test('A2S: a repeated packet of a split reply counts only once towards the limits for packets and bytes', () => {
  const exchange = open();
  for (let i = 0; i < 50; i++) assert.equal(exchange.receive(laterPart(1, 2000, 1)).kind, 'more');
});

/**
 * An A2S_PLAYER reply with the players of `CROWD`, compressed with `bzip2 -9`. It begins with the size and the CRC-32
 * of the uncompressed reply.
 */
const COMPRESSED_CROWD = Buffer.from(
  'cAQAAAujQlFCWmg5MUFZJlNZWbhX0wACSv////////////31UVFRc1UQYAQERAQEBEQERAREBAQERASwAXspjDGkGkyMhppkaaaaMjJiYI0NojJgjEyYA0bRpkCGkInpDIVPUAAAAAAAAAAAAAAAABmqSgDIAAANGgADQAAAAAAAAD1LWVQy7y/wqbFmScqsr7K1qZUuRTtpRg20hJJqSSSQTDJy8huSMqcOQkJCUjkJSOQKcBZoYxhQVIK100RMrZlmRVKKQirYObBIQi2EVi+TCLPDGEBoAEK4yMDRAICAGRQcAEQgoAMhBdCTbigagIEAAIONhgAhjT1DKfoFBuciAmEjXOc9DJhKoN6IqvJhKbkREYwkNrnvQEwkU3oirCBuREVDa1z0gobNm7c0000BVgyMRz/IJrbvLs+um9i0oIpCTGRRVZdjZt3M761GxbpXsFLHmrnzDtYZ6KQhkUVX2bazNQowAAAg6MOnrwn6omuKhljB+EY+dIR8pO6lMGIk8WK6pRVWJ7rjPWqBCGqPOSuxZY1MHFnAAyUUWWWZGk24oL9SbZGk24o0m3E4CBIABhG2m2JJre/xdyRThQkFm4V9MA==',
  'base64',
);
/** Test data: the texts `a` and `aaaaaaaaaa`, compressed with `bzip2 -9`. */
const ONE_A = Buffer.from('QlpoOTFBWSZTWRmTm2sAAAABACAAIAAhGEaC7kinChIDMnNtYA==', 'base64');
const TEN_A = Buffer.from('QlpoOTFBWSZTWVl40YsAAAJBAAEAIAAgACEAggsXckU4UJBZeNGL', 'base64');
/** Id of a split A2S reply with the highest bit set. This bit marks a compressed reply. */
const COMPRESSED_ID = -5;

for (const layout of ['source', 'source-2006'] satisfies SplitLayout[]) {
  test(`A2S: joins the packets of a compressed reply in any order, and decompresses it (packet headers of ${layout})`, () => {
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

test('A2S: decompresses a split reply only if its packet id is marked as compressed', () => {
  const exchange = open();
  exchange.receive(sourceInfo({ players: 60 }));
  const [part] = split(COMPRESSED_CROWD, 1200, 'source', 5);
  assert.equal(exchange.receive(part ?? Buffer.alloc(0)).kind, 'more');
});

test('A2S: reads a split reply that is not compressed, even if its packet id has the mark for compression', () => {
  for (const layout of ['source', 'source-2006', 'goldsrc'] satisfies SplitLayout[]) {
    const exchange = open();
    const reply = sourceInfo({ name: 'x'.repeat(150), players: 0 });
    const steps = split(reply, 120, layout, COMPRESSED_ID).map(part => exchange.receive(part));
    assert.equal(statusOf(steps.at(-1) ?? MORE).name, 'x'.repeat(150));
  }
});
