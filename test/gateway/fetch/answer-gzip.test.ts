import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, test } from 'node:test';
import { crc32, createGunzip, gunzipSync, inflateRawSync } from 'node:zlib';
import { AnswerGzip } from '../../../gateway/fetch/answer-gzip.ts';
import { deflateFragment, GzipMember } from '../../../gateway/http/gzip-member.ts';
import { randomNumbers } from '../../system/random-numbers.ts';

interface Case {
  body: Buffer;
  cuts: number[];
}

const WORDS = [
  'name',
  '"map":',
  'de_dust2',
  ' ',
  '\u0000',
  'é',
  '日本',
  '🎮',
  '{"players":[',
  '127.0.0.1:27015',
  '\\"',
];

const random = randomNumbers(20_26);

/** Text that compresses, text of several bytes a character, bytes that do not compress, or nothing. */
function stretch(maxBytes: number): Buffer {
  const bytes = random(maxBytes + 1);
  switch (random(4)) {
    case 0:
      return Buffer.from(Array.from({ length: bytes }, () => random(256)));
    case 1:
      return Buffer.alloc(bytes, WORDS[random(WORDS.length)]);
    case 2:
      return Buffer.alloc(0);
    default: {
      let text = '';
      while (text.length < bytes) text += WORDS[random(WORDS.length)];
      return Buffer.from(text);
    }
  }
}

/** Parts and what lies between them, either of which may be empty. */
function joined(parts: readonly Buffer[], maxGlue: number): Case {
  const pieces: Buffer[] = [];
  const cuts: number[] = [];
  let at = 0;
  const add = (piece: Buffer): void => {
    pieces.push(piece);
    at += piece.length;
  };
  for (const part of parts) {
    add(stretch(maxGlue));
    cuts.push(at);
    add(part);
    cuts.push(at);
  }
  add(stretch(maxGlue));
  return { body: Buffer.concat(pieces), cuts };
}

/** A number for each part, by what it holds. */
function marksOf(body: Buffer, cuts: readonly number[]): number[] {
  const marks: number[] = [];
  for (let i = 0; i < cuts.length; i += 2) marks.push(crc32(body.subarray(cuts[i], cuts[i + 1])));
  return marks;
}

/** The compressed answer when its parts came before, and so are joined. */
async function joinedGzip(gzip: AnswerGzip, { body, cuts }: Case): Promise<Buffer> {
  await gzip.gzip(body, cuts, marksOf(body, cuts));
  return gzip.gzip(body, cuts, marksOf(body, cuts));
}

/** Fails where anything follows the one member, or where the trailer is not of what it unfolds to. */
function assertOneMember(member: Buffer, body: Buffer): void {
  assert.deepEqual(member.subarray(0, 4), Buffer.from([0x1f, 0x8b, 8, 0]));
  const { buffer, engine } = inflateRawSync(member.subarray(10), { info: true }) as unknown as {
    buffer: Buffer;
    engine: { bytesWritten: number };
  };
  assert.equal(engine.bytesWritten, member.length - 18, 'nothing between the last block and the trailer');
  assert.deepEqual(buffer, body);
  assert.deepEqual(gunzipSync(member), body);
}

function cases(count: number, maxPart: number, maxGlue: number): Case[] {
  const parts = Array.from({ length: 40 }, () => stretch(maxPart));
  return Array.from({ length: count }, () => {
    const some = Array.from({ length: random(14) }, () => parts[random(parts.length)] ?? Buffer.alloc(0));
    return joined(some, maxGlue);
  });
}

describe('a compressed answer', () => {
  test('is one member that unfolds to the answer, whatever was kept before', async () => {
    const gzip = new AnswerGzip(4 * 1024 * 1024);
    for (const { body, cuts } of cases(400, 2000, 100)) {
      for (let i = 0; i < 3; i++) assertOneMember(await gzip.gzip(body, cuts, marksOf(body, cuts)), body);
    }
  });

  test('may have parts and glue that no stored block holds', async () => {
    const gzip = new AnswerGzip();
    for (const one of cases(10, 90_000, 200_000)) assertOneMember(await joinedGzip(gzip, one), one.body);
    const noise = Buffer.from(Array.from({ length: 70_000 }, () => random(256)));
    for (const length of [65_534, 65_535, 65_536, 70_000]) {
      const body = Buffer.concat([noise.subarray(0, length), noise]);
      assertOneMember(await joinedGzip(gzip, { body, cuts: [length, body.length] }), body);
      assertOneMember(await joinedGzip(gzip, { body, cuts: [0, body.length - length] }), body);
    }
  });

  test('is not larger than its pieces, so it was joined', async () => {
    const part = Buffer.from('"players":'.repeat(100));
    const body = Buffer.concat([Buffer.from('{"a":'), part, Buffer.from('}')]);
    const cuts = [5, 5 + part.length];
    const gzip = new AnswerGzip();
    const whole = await gzip.gzip(body, cuts, marksOf(body, cuts));
    const again = await gzip.gzip(body, cuts, marksOf(body, cuts));
    assert.notDeepEqual(again, whole);
    assert.ok(again.includes(deflateFragment(part)));
    assert.ok(again.includes('{"a":'));
    assert.deepEqual(await gzip.gzip(body, cuts, marksOf(body, cuts)), again);
  });

  test('shows a part as it is now, not as it was kept under the same mark', async () => {
    const gzip = new AnswerGzip();
    const old = Buffer.from(`{"a":{"players":1,${' '.repeat(400)}}}`);
    for (let i = 0; i < 3; i++) await gzip.gzip(old, [5, old.length - 1], [7]);
    const now = Buffer.from(old);
    now[16] = 0x32;
    for (let i = 0; i < 3; i++) assertOneMember(await gzip.gzip(now, [5, old.length - 1], [7]), now);
  });

  test('of many parts is compressed in one pass, which makes it smaller', async () => {
    const part = Buffer.from('"name":"A server with a name","map":"de_dust2"');
    const sizeOf = async (count: number): Promise<number> => {
      const gzip = new AnswerGzip();
      const body = Buffer.concat(Array.from({ length: count }, () => part));
      const cuts = Array.from({ length: count * 2 }, (_, i) => ((i + 1) >> 1) * part.length);
      return (await joinedGzip(gzip, { body, cuts })).length;
    };
    assert.ok((await sizeOf(129)) < (await sizeOf(128)));
  });

  test('does not depend on cuts that make sense', async () => {
    const body = Buffer.from('{"a":{"players":1}}');
    for (const cuts of [[], [5], [9, 5], [0, 100], [5, 9, 7, 12], [30, 40], [5, 9, 20, 30]]) {
      assertOneMember(await joinedGzip(new AnswerGzip(), { body, cuts }), body);
    }
  });

  test('may be read byte by byte', async () => {
    const gzip = new AnswerGzip();
    for (const one of cases(20, 600, 60)) {
      const member = await joinedGzip(gzip, one);
      const gunzip = createGunzip();
      const chunks: Buffer[] = [];
      gunzip.on('data', chunk => chunks.push(chunk));
      const ended = once(gunzip, 'end');
      for (const byte of member) gunzip.write(Buffer.of(byte));
      gunzip.end();
      await ended;
      assert.deepEqual(Buffer.concat(chunks), one.body);
    }
  });

  test('passes gzip -t', async () => {
    const gzip = new AnswerGzip();
    const members: Buffer[] = [];
    for (const one of [...cases(100, 1500, 100), ...cases(5, 80_000, 80_000)]) {
      members.push(await joinedGzip(gzip, one));
    }
    // gzip reads members one after another, and warns of anything else between them.
    const tested = spawnSync('gzip', ['-t'], { input: Buffer.concat(members), timeout: 20_000 });
    assert.equal(tested.stderr.toString(), '');
    assert.equal(tested.status, 0);
  });

  test('is understood by fetch', async () => {
    const gzip = new AnswerGzip();
    const asked = cases(30, 900, 60).filter(({ body }) => body.length > 0);
    const server = createServer(async (request, response) => {
      const one = asked[Number(request.url?.slice(1))] ?? { body: Buffer.alloc(0), cuts: [] };
      const member = await joinedGzip(gzip, one);
      response.writeHead(200, { 'Content-Encoding': 'gzip', 'Content-Length': member.length }).end(member);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    try {
      for (const [i, { body }] of asked.entries()) {
        const answer = await fetch(`http://127.0.0.1:${port}/${i}`);
        assert.deepEqual(Buffer.from(await answer.arrayBuffer()), body);
      }
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
});

describe('a gzip member', () => {
  const text = Buffer.from('text '.repeat(20));
  const fragment = deflateFragment(text);
  const pieces: Record<string, (member: GzipMember) => void> = {
    F: member => member.addFragment(fragment, 0, fragment.length),
    S: member => member.addStored(text, 0, text.length),
    '0': member => member.addStored(text, 3, 3),
  };
  for (const order of ['', 'F', 'S', '0', 'FF', 'SS', 'FS', 'SF', 'F0F', '0F0', 'SFFS', 'S0SF0']) {
    test(`takes its pieces in any order: ${order || 'none'}`, () => {
      const body = Buffer.concat([...order].filter(piece => piece !== '0').map(() => text));
      const member = new GzipMember(order.length, order.length * text.length);
      for (const piece of order) pieces[piece]?.(member);
      assertOneMember(member.end(crc32(body), body.length), body);
    });
  }
});
