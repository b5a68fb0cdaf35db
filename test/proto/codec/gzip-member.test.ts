import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, test } from 'node:test';
import { crc32, createGunzip, gunzipSync, inflateRawSync } from 'node:zlib';
import { ByteWriter } from '../../../proto/codec/byte-writer.ts';
import { deflateFragment, deflateFragmentOnce, GzipMember } from '../../../proto/codec/gzip-member.ts';
import { randomNumbers } from '../../system/random-numbers.ts';

/** A piece of a gzip member: either bytes that are deflated into a fragment, or text that is stored uncompressed. */
interface Piece {
  bytes: Buffer;
  deflated: false | typeof deflateFragment;
}

const deflatedOnce = (bytes: Uint8Array): Buffer => {
  const out = new ByteWriter(16);
  deflateFragmentOnce(bytes, out);
  return out.take();
};
const part = (bytes: Buffer): Piece => ({ bytes, deflated: deflateFragment });
const partOnce = (bytes: Buffer): Piece => ({ bytes, deflated: deflatedOnce });
const text = (bytes: Buffer): Piece => ({ bytes, deflated: false });

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
const noise = (bytes: number): Buffer => Buffer.from(Array.from({ length: bytes }, () => random(256)));

/** Returns random content: compressible text, multi-byte characters, incompressible bytes, or nothing. */
function stretch(maxBytes: number): Buffer {
  const bytes = random(maxBytes + 1);
  switch (random(4)) {
    case 0:
      return noise(bytes);
    case 1:
      return Buffer.alloc(bytes, WORDS[random(WORDS.length)]);
    case 2:
      return Buffer.alloc(0);
    default: {
      let words = '';
      while (words.length < bytes) words += WORDS[random(WORDS.length)];
      return Buffer.from(words).subarray(0, bytes);
    }
  }
}

/** Returns random lists of pieces: repeated fragments with text between them. Fragments and texts can be empty. */
function cases(count: number, maxPart: number, maxText: number): Piece[][] {
  const parts = Array.from({ length: 40 }, () => stretch(maxPart));
  return Array.from({ length: count }, () => {
    const pieces = [text(stretch(maxText))];
    for (let i = random(14); i > 0; i--) {
      const bytes = parts[random(parts.length)] ?? Buffer.alloc(0);
      pieces.push(random(2) === 0 ? part(bytes) : partOnce(bytes), text(stretch(maxText)));
    }
    return pieces;
  });
}

const bodyOf = (pieces: readonly Piece[]): Buffer => Buffer.concat(pieces.map(({ bytes }) => bytes));

/** Builds the gzip member of these pieces. Returns undefined if a piece was refused. */
function memberOf(pieces: readonly Piece[]): Buffer | undefined {
  const out = new ByteWriter(16);
  out.text('before');
  const member = new GzipMember(out);
  for (const { bytes, deflated } of pieces) {
    if (!deflated) out.copy(bytes);
    else {
      // A cached fragment has other bytes before and after it in its buffer.
      const kept = Buffer.concat([noise(3), deflated(bytes), noise(5)]);
      if (!member.addFragment(kept, 3, kept.length - 5)) return undefined;
    }
  }
  if (!member.finish()) return undefined;
  const bytes = out.take();
  assert.equal(bytes.toString('latin1', 0, 6), 'before');
  return bytes.subarray(6);
}

/** Builds the gzip member of pieces that must all be accepted. Fails if the member does not inflate to these pieces. */
function goodMember(pieces: readonly Piece[]): Buffer {
  const body = bodyOf(pieces);
  const member = memberOf(pieces);
  assert.ok(member);
  assert.deepEqual(member.subarray(0, 4), Buffer.from([0x1f, 0x8b, 8, 0]));
  const { buffer, engine } = inflateRawSync(member.subarray(10), { info: true }) as unknown as {
    buffer: Buffer;
    engine: { bytesWritten: number };
  };
  assert.equal(engine.bytesWritten, member.length - 18, 'nothing between the last block and the trailer');
  assert.ok(buffer.equals(body), 'it unfolds to what it was made of');
  assert.equal(member.readUInt32LE(member.length - 8), crc32(body), 'the checksum of zlib');
  assert.equal(member.readUInt32LE(member.length - 4), body.length);
  assert.ok(gunzipSync(member).equals(body));
  return member;
}

const gzip = spawnSync('gzip', ['--version']);

describe('a gzip member', () => {
  test('inflates to the content of its pieces', () => {
    for (const pieces of cases(400, 2000, 300)) goodMember(pieces);
    for (const pieces of cases(10, 90_000, 65_535)) goodMember(pieces);
  });

  const sizes = [0, 1, 2, 127, 128, 129, 255, 256, 65_534, 65_535];
  for (const size of [...sizes, 65_536, 200_000]) {
    test(`can contain fragments of ${size} bytes`, () => {
      for (const bytes of [noise(size), Buffer.alloc(size, 'part')]) {
        goodMember([part(bytes)]);
        goodMember([partOnce(bytes)]);
        goodMember([part(bytes), part(bytes)]);
        goodMember([partOnce(bytes), part(bytes), partOnce(bytes)]);
        goodMember([text(Buffer.from('{')), part(bytes), text(Buffer.from(',')), part(bytes)]);
      }
    });
  }
  for (const size of sizes) {
    test(`can contain text of ${size} bytes`, () => {
      for (const bytes of [noise(size), Buffer.alloc(size, 'text')]) {
        goodMember([text(bytes)]);
        goodMember([text(bytes), part(Buffer.from('part')), text(bytes)]);
        goodMember([part(bytes), text(bytes), part(bytes), text(bytes), part(bytes)]);
      }
    });
  }

  const words = Buffer.from('word '.repeat(20));
  const order: Record<string, Piece> = { P: part(words), T: text(words), '0': part(Buffer.alloc(0)) };
  for (const letters of ['', 'P', 'T', '0', 'PP', 'TT', 'PT', 'TP', 'P0P', '0P0', '00', 'TPPT', 'T0TP0']) {
    test(`can contain fragments (P), texts (T) and empty fragments (0) in this order: ${letters || 'no pieces'}`, () => {
      goodMember([...letters].flatMap(letter => order[letter] ?? []));
    });
  }

  test('is refused if a text is longer than 65,535 bytes, both before a fragment and at the end', () => {
    for (const size of [65_536, 65_537, 131_071, 300_000]) {
      const long = text(noise(size));
      assert.equal(memberOf([long, part(words)]), undefined);
      assert.equal(memberOf([part(words), long, part(words)]), undefined);
      assert.equal(memberOf([part(words), long]), undefined);
      assert.equal(memberOf([long]), undefined);
    }
    assert.equal(memberOf([text(noise(40_000)), text(noise(40_000))]), undefined);
  });

  test('contains fragments unchanged as they were deflated, and texts uncompressed', () => {
    const [name, rest] = [Buffer.from('{"a":'), Buffer.from('}')];
    const players = Buffer.from('"players":'.repeat(100));
    const member = goodMember([text(name), part(players), text(rest)]);
    assert.ok(member.includes(name));
    // The first 12 bytes of a fragment are its header, which is not copied into the member.
    const deflated = deflateFragment(players).subarray(12);
    assert.ok(member.includes(deflated));
    assert.ok(deflated.length < players.length / 4);
    assert.deepEqual(goodMember([text(name), part(players), text(rest)]), member);
  });

  test('can be inflated byte by byte', async () => {
    for (const pieces of [...cases(8, 300, 60), ...cases(1, 1000, 2000)]) {
      const gunzip = createGunzip();
      const chunks: Buffer[] = [];
      gunzip.on('data', chunk => chunks.push(chunk));
      const ended = once(gunzip, 'end');
      for (const byte of goodMember(pieces)) gunzip.write(Buffer.of(byte));
      gunzip.end();
      await ended;
      assert.ok(Buffer.concat(chunks).equals(bodyOf(pieces)));
    }
  });

  test('passes the integrity test of the gzip command (gzip -t)', { skip: gzip.error && 'gzip is not there' }, () => {
    const members = [...cases(100, 1500, 100), ...cases(5, 80_000, 65_535)].map(goodMember);
    const test = (input: Buffer) => spawnSync('gzip', ['-t'], { input, timeout: 20_000 });
    // gzip accepts several concatenated members, and warns about any other data between them.
    const tested = test(Buffer.concat(members));
    assert.equal(tested.stderr.toString(), '');
    assert.equal(tested.status, 0);
    const spoilt = Buffer.concat(members);
    spoilt[spoilt.length - 8] = ~(spoilt[spoilt.length - 8] ?? 0);
    assert.notEqual(test(spoilt).status, 0);
  });

  test('is decompressed correctly by fetch()', async () => {
    const asked = cases(30, 900, 60).filter(pieces => bodyOf(pieces).length > 0);
    const members = asked.map(goodMember);
    const server = createServer((request, response) => {
      const member = members[Number(request.url?.slice(1))] ?? Buffer.alloc(0);
      response.writeHead(200, { 'Content-Encoding': 'gzip', 'Content-Length': member.length }).end(member);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    try {
      for (const [i, pieces] of asked.entries()) {
        const answer = await fetch(`http://127.0.0.1:${port}/${i}`);
        assert.deepEqual(Buffer.from(await answer.arrayBuffer()), bodyOf(pieces));
      }
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
});
