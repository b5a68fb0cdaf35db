import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { ByteWriter } from '../../../proto/codec/byte-writer.ts';
import { deflateBlock } from '../../../proto/codec/deflate.ts';
import { randomNumbers } from '../../system/random-numbers.ts';

/** Bytes that the tests append to the output of deflateBlock(). The result is a complete deflate stream. */
const REST = Buffer.from([0, 0, 0xff, 0xff, 3, 0]);

/**
 * Compresses bytes with deflateBlock(), and returns the compressed block. Fails if the block does not decompress to the
 * same bytes.
 */
function deflated(bytes: Uint8Array): Buffer {
  const out = new ByteWriter(8);
  out.text('before');
  deflateBlock(bytes, out);
  const written = out.takeBytes();
  assert.equal(written.toString('latin1', 0, 6), 'before');
  const block = written.subarray(6);
  assert.ok(inflateRawSync(Buffer.concat([block, REST])).equals(bytes), `${bytes.length} bytes`);
  return block;
}

const random = randomNumbers(7);
const noise = (bytes: number, kinds = 256): Buffer =>
  Buffer.from(Array.from({ length: bytes }, () => random(kinds)));

describe('the output of deflateBlock (a fast deflate compressor)', () => {
  test('decompresses to the original for inputs of up to 600 equal bytes', () => {
    for (let length = 0; length <= 600; length++) deflated(Buffer.alloc(length, 'x'));
  });

  test('decompresses to the original if the input is random bytes', () => {
    for (const kinds of [2, 3, 10, 144, 256]) {
      for (let length = 0; length < 300; length++) deflated(noise(length, kinds));
      deflated(noise(100_000, kinds));
    }
  });

  test('refers to an earlier copy of the same bytes if the copy is at most 32,768 bytes back (the limit of deflate)', () => {
    const word = noise(40);
    const plain = deflated(noise(64)).length;
    assert.ok(plain >= 64);
    for (const distance of [40, 41, 64, 65, 1024, 24_576, 24_577, 32_767, 32_768, 32_769, 40_000]) {
      // Puts only zeros between the two copies of `word`. With random bytes, deflateBlock could fail to find the first
      // copy: its hash table is small, so the random bytes could overwrite the entry of the first copy.
      const bytes = Buffer.concat([word, Buffer.alloc(distance - 40), word]);
      const first = deflated(bytes.subarray(0, distance)).length;
      const second = deflated(bytes).length - first;
      if (distance <= 32_768) assert.ok(second <= 5, `${distance}: ${second} bytes more`);
      else assert.ok(second >= 40, `${distance}: ${second} bytes more`);
    }
  });

  test('does not depend on the input of an earlier call', () => {
    const bytes = noise(500);
    assert.deepEqual(deflated(bytes), deflated(bytes));
    const [long, short] = [deflated(Buffer.concat([bytes, bytes])), deflated(bytes)];
    assert.ok(long.length < short.length + 20);
  });

  test('stays the same for the same input after deflateBlock clears its hash table (once every 16 MiB of input)', () => {
    const bytes = noise(500, 4);
    const before = deflated(bytes);
    const out = new ByteWriter();
    deflateBlock(Buffer.alloc(2 ** 24), out);
    assert.deepEqual(deflated(bytes), before);
    assert.deepEqual(deflated(bytes), before);
  });

  test('is less than 1.4 times as long as the output of zlib for a typical payload', () => {
    const players = Array.from({ length: 12 }, () => ({
      name: `player ${random(1e6)}`,
      score: random(100),
      time: random(4000),
    }));
    const payload = Buffer.from(JSON.stringify({ name: 'A server of players', map: 'de_dust2', players }));
    assert.ok(deflated(payload).length < deflateRawSync(payload).length * 1.4);
  });
});
