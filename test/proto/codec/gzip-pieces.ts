import assert from 'node:assert/strict';
import { crc32, gunzipSync, inflateRawSync } from 'node:zlib';
import { ByteWriter } from '../../../proto/codec/byte-writer.ts';
import { deflateFragment, deflateFragmentOnce, GzipMember } from '../../../proto/codec/gzip-member.ts';
import { randomNumbers } from '../../system/random-numbers.ts';

/** A piece of a gzip member: either a compressed fragment, or text that the member contains uncompressed. */
export interface Piece {
  bytes: Buffer;
  deflated: false | typeof deflateFragment;
}

const deflatedOnce = (bytes: Uint8Array): Buffer => {
  const out = new ByteWriter(16);
  deflateFragmentOnce(bytes, out);
  return out.takeBytes();
};
/** Returns a piece of a gzip member: `bytes`, compressed with deflateFragment(). */
export const part = (bytes: Buffer): Piece => ({ bytes, deflated: deflateFragment });
/** Returns a piece of a gzip member: `bytes`, compressed with deflateFragmentOnce(). */
export const partOnce = (bytes: Buffer): Piece => ({ bytes, deflated: deflatedOnce });
/** Returns a piece of a gzip member that contains `bytes` without compression. */
export const text = (bytes: Buffer): Piece => ({ bytes, deflated: false });

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
/** Returns random bytes, which cannot be compressed. */
export const noise = (bytes: number): Buffer => Buffer.from(Array.from({ length: bytes }, () => random(256)));

/** Returns random content for a piece of a gzip member. The content can be empty or incompressible. */
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

/**
 * Returns random input for `count` gzip members. Each member is a list of pieces, in which uncompressed texts and
 * compressed fragments alternate. Some pieces are empty.
 */
export function cases(count: number, maxPart: number, maxText: number): Piece[][] {
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

/** Returns the uncompressed content of a gzip member that consists of the given pieces. */
export const bodyOf = (pieces: readonly Piece[]): Buffer => Buffer.concat(pieces.map(({ bytes }) => bytes));

/** Builds a gzip member from pieces. Returns undefined if GzipMember rejects the pieces. */
export function memberOf(pieces: readonly Piece[]): Buffer | undefined {
  const out = new ByteWriter(16);
  out.text('before');
  const member = new GzipMember(out);
  for (const { bytes, deflated } of pieces) {
    if (!deflated) out.copy(bytes);
    else {
      // Adds random bytes before and after the fragment, because the gateway also stores a fragment in the middle of a
      // larger buffer.
      const kept = Buffer.concat([noise(3), deflated(bytes), noise(5)]);
      if (!member.addFragment(kept, 3, kept.length - 5)) return undefined;
    }
  }
  if (!member.finish()) return undefined;
  const bytes = out.takeBytes();
  assert.equal(bytes.toString('latin1', 0, 6), 'before');
  return bytes.subarray(6);
}

/**
 * Builds a gzip member from pieces. Fails if GzipMember rejects the pieces, or if the member does not inflate to the
 * content of the pieces.
 */
export function goodMember(pieces: readonly Piece[]): Buffer {
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
