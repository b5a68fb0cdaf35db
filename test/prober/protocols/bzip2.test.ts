import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decompressBzip2, MAX_BZIP2_BYTES } from '../../../prober/protocols/bzip2.ts';
import { MalformedReply } from '../../../prober/protocols/protocol.ts';

// Samples for the bzip2 decompressor. `base64` contains the bytes of `plain`, compressed with `bzip2 -9`.
const SAMPLES: Record<string, { plain: Buffer; base64: string }> = {
  'a sentence': {
    plain: Buffer.from('The quick brown fox jumps over the lazy dog, then over the other lazy dog.'),
    base64:
      'QlpoOTFBWSZTWa/KPisAAAgTgEAFBAA////wIABAlTQgAaNDJmkKAAAAAbqdLrJJva4xgZ9mkUIsKjZFDlCr/EGrxIeyE6OuZ9VzNlVoWLH4u5IpwoSFflHxWA==',
  },
  'runs of 1 to 1000 equal bytes': {
    plain: Buffer.concat([3, 4, 5, 255, 259, 1000, 1].map((length, i) => Buffer.alloc(length, 0x61 + i))),
    base64: 'QlpoOTFBWSZTWU2j7eYAAAHBAeAAP4AAgAAIIAAhtKYI0IBppoi67akcFXhhqYyfJGua4fF3JFOFCQTaPt5g',
  },
  'runs of exactly four equal bytes': {
    plain: Buffer.from('aaaabbbbccccdddd'),
    base64: 'QlpoOTFBWSZTWX+NjYwAAAPBAEAAPAAgADDNAR6Go3NHExEni7kinChIP8bGxgA=',
  },
  'a text with each byte value once': {
    plain: Buffer.from(Array.from({ length: 256 }, (_, i) => i)),
    base64:
      'QlpoOTFBWSZTWba17pUAAAB/////////////////////////////////////////////sADFUgAAAAAAAAAAAAAAAAAAAAABMAmAAAAAAAAAAAAAAEwABMAEmAAmAAJgAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAkwAEwABMAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAPwCAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8gISIjJCUmJygpKissLS4vMDEyMzQ1Njc4OTo7PD0+P0BBQkNERUZHSElKS0xNTk9QUVJTVFVWV1hZWltcXV5fYGFiY2RhYmNkZWZnaGlqa2xtbm9wcXJzdHV2d3h5ent8fX5/gIGCg4SFhoeIiYqLjI2Oj5CRkpWWl5iZmpucnZ6foKGio6SlpqeoqaqrrK2ur7CxsrO0tba3uLm6u7y9vr/AwcLDxMXGxcbHyMnKy8zNzs/Q0dLT1NXW19jZ2tvc3d7f4OHi4+Tl5ufo6err7O3u7/Dx8vP09fb3+Pn6+/z9F3JFOFCQtrXulQ=',
  },
  'a text of the maximum size': {
    plain: Buffer.alloc(MAX_BZIP2_BYTES),
    base64: 'QlpoOTFBWSZTWddx6esAAIDAAMAAAAggADCAKRoBpAOLuSKcKEhruPT1gA==',
  },
};
/** 45 million zero bytes, compressed with bzip2 to 50 bytes. */
const BOMB = Buffer.from('QlpoOTFBWSZTWckBtsgBWKtAIMAAEAAACCAAMMwFKaZSSFJsVJIUni7kinChIZIDbZA=', 'base64');

for (const [what, { plain, base64 }] of Object.entries(SAMPLES)) {
  const compressed = Buffer.from(base64, 'base64');

  test(`bzip2 decompresses a stream (content: ${what})`, () => {
    assert.deepEqual(decompressBzip2(compressed, plain.length), plain);
  });

  test(`bzip2 rejects a stream (content: ${what}) that is truncated or followed by other bytes`, () => {
    for (let length = 0; length < compressed.length; length++) {
      assert.throws(() => decompressBzip2(compressed.subarray(0, length), plain.length), MalformedReply);
    }
    for (const tail of [Buffer.alloc(1), compressed]) {
      assert.throws(() => decompressBzip2(Buffer.concat([compressed, tail]), plain.length), /behind the end/);
    }
  });

  test(`bzip2 never returns wrong bytes if a single bit of a stream is flipped (content: ${what})`, () => {
    let meaningless = 0;
    for (let bit = 0; bit < compressed.length * 8; bit++) {
      const turned = Buffer.from(compressed);
      turned.writeUInt8(turned.readUInt8(bit >> 3) ^ (0x80 >> (bit & 7)), bit >> 3);
      try {
        assert.deepEqual(decompressBzip2(turned, plain.length), plain);
        meaningless++;
      } catch (error) {
        if (!(error instanceof MalformedReply)) throw error;
      }
    }
    // Some flipped bits of a bzip2 stream do not change the content, for example bits of the padding at the end. The
    // number of these bits must be less than the number of bytes in the stream.
    assert.ok(meaningless < compressed.length, `${meaningless} bits`);
  });

  test(`bzip2 rejects a stream (content: ${what}) if its decompressed size differs from the announced size`, () => {
    for (const size of [0, 1, plain.length - 1, plain.length + 1]) {
      assert.throws(() => decompressBzip2(compressed, size), MalformedReply);
    }
  });
}

test('bzip2 rejects a decompression bomb: few bytes that expand to 45 million bytes', () => {
  assert.throws(() => decompressBzip2(BOMB, MAX_BZIP2_BYTES), /more than was announced/);
});

test('bzip2 rejects an input or an announced output of more than 64 KiB', () => {
  assert.throws(() => decompressBzip2(Buffer.alloc(MAX_BZIP2_BYTES + 1), 5), /more than 65536 bytes/);
  assert.throws(() => decompressBzip2(BOMB, MAX_BZIP2_BYTES + 1), /more than 65536 bytes/);
});

const binary = (value: number, width: number) => value.toString(2).padStart(width, '0');

/** The bzip2 checksum of the string `a`, as a string of bits. */
const CRC_OF_A = binary(0x19939b6b, 32);

/** The parts of a bzip2 stream that contains the string `a`. Each part is a string of bits: the digits 0 and 1. */
const STREAM = {
  magic: Buffer.from('BZh9').reduce((bits, byte) => bits + binary(byte, 8), ''),
  block: binary(0x314159, 24) + binary(0x265359, 24),
  crc: CRC_OF_A,
  randomised: '0',
  start: binary(0, 24),
  used: binary(1 << (15 - 6), 16) + binary(1 << (15 - 1), 16),
  tables: binary(2, 3),
  selectors: `${binary(1, 15)}0`,
  // Lengths of the Huffman codes of RUNA (0), RUNB (10) and the end of the block (11). RUNA and RUNB encode run
  // lengths.
  codes: '0000101000'.repeat(2),
  symbols: '011',
  end: binary(0x177245, 24) + binary(0x385090, 24),
  streamCrc: CRC_OF_A,
};

function streamOf(parts: Partial<typeof STREAM>): Buffer {
  const bits = Object.values({ ...STREAM, ...parts }).join('');
  const bytes = bits.match(/.{1,8}/g) ?? [];
  return Buffer.from(bytes.map(byte => Number.parseInt(byte.padEnd(8, '0'), 2)));
}

/**
 * Values that replace fields of `STREAM`, a hand-made bzip2 stream. With these values, the block of the stream can
 * contain the bytes `a` and `b`.
 */
const TWO_BYTES = {
  // Bitmap of the byte values that the block contains: `a` and `b`.
  used: binary(1 << (15 - 6), 16) + binary(3 << (15 - 2), 16),
  // Lengths of the Huffman codes: two tables, each with four codes of two bits.
  codes: '000100000'.repeat(2),
};

test('bzip2 decompresses a hand-made stream that contains only the letter `a`', () => {
  assert.equal(decompressBzip2(streamOf({}), 1).toString(), 'a');
});

const REFUSED: Record<string, [Partial<typeof STREAM>, RegExp, number?]> = {
  'a stream with a wrong signature': [{ magic: binary(0x425a6731, 32) }, /not bzip2/],
  'a stream with the compression level 0': [{ magic: binary(0x425a6830, 32) }, /not bzip2/],
  'a stream with a colon instead of the compression level': [{ magic: binary(0x425a683a, 32) }, /not bzip2/],
  'a stream without a block': [{ block: STREAM.end }, /without a block/],
  'a block in the randomised format, which bzip2 has abandoned': [{ randomised: '1' }, /given up/],
  'a block that uses no byte value': [{ used: binary(0, 16) }, /of no bytes/],
  'a block with only one Huffman table': [{ tables: binary(1, 3) }, /without tables/],
  'a block with seven Huffman tables': [{ tables: binary(7, 3) }, /without tables/],
  'a selector of a Huffman table that does not exist': [
    { selectors: `${binary(1, 15)}110` },
    /a table too few/,
  ],
  'a block without selectors of Huffman tables': [{ selectors: binary(0, 15) }, /does not end/],
  'a Huffman code of no bits': [{ codes: '00000' }, /too long/],
  'a Huffman code of 21 bits': [{ codes: '10100100' }, /too long/],
  'a Huffman table with more codes than their lengths allow': [{ codes: '00001000' }, /more codes/],
  'a Huffman code that belongs to no symbol': [
    { codes: '00010000'.repeat(2), symbols: '11' },
    /stands for nothing/,
  ],
  'a block with more symbols than its selectors cover': [
    { ...TWO_BYTES, symbols: `${'10'.repeat(50)}11` },
    /does not end/,
    50,
  ],
  'a block with more bytes than announced': [
    { ...TWO_BYTES, symbols: `${'10'.repeat(20)}11` },
    /than was announced/,
    10,
  ],
  'a run of equal bytes that is longer than the maximum output': [
    { symbols: '10'.repeat(40) },
    /than was announced/,
    MAX_BZIP2_BYTES,
  ],
  'an empty block': [{ symbols: '11' }, /begins nowhere/],
  'a start index outside the block': [{ start: binary(1, 24) }, /begins nowhere/],
  'a block with a wrong checksum': [{ crc: binary(0x19939b6a, 32) }, /wrong block checksum/],
  'a stream with a wrong checksum': [{ streamCrc: binary(0x19939b6a, 32) }, /does not end after its block/],
  'a stream with a wrong end marker': [
    { end: binary(0x177245, 24) + binary(0x385091, 24) },
    /does not end after its block/,
  ],
  'a stream with a second block': [{ end: STREAM.block }, /does not end after its block/],
  'a stream with fewer bytes than announced': [{}, /of 1 bytes instead of 2/, 2],
};

for (const [what, [parts, reason, size]] of Object.entries(REFUSED)) {
  test(`bzip2 rejects an invalid stream: ${what}`, () => {
    assert.throws(() => decompressBzip2(streamOf(parts), size ?? 1), reason);
  });
}
