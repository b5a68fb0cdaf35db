import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { deflateFragment } from '../../../proto/codec/gzip-member.ts';
import { cases, goodMember, memberOf, noise, type Piece, part, partOnce, text } from './gzip-pieces.ts';

describe('gzip data made of precompressed fragments and plain text', () => {
  test('decompresses to the contents of its fragments and texts, in their order', () => {
    for (const pieces of cases(400, 2000, 300)) goodMember(pieces);
    for (const pieces of cases(10, 90_000, 65_535)) goodMember(pieces);
  });

  const sizes = [0, 1, 2, 127, 128, 129, 255, 256, 65_534, 65_535];
  for (const size of [...sizes, 65_536, 200_000]) {
    test(`is correct with fragments of ${size} bytes`, () => {
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
    test(`is correct with text of ${size} bytes`, () => {
      for (const bytes of [noise(size), Buffer.alloc(size, 'text')]) {
        goodMember([text(bytes)]);
        goodMember([text(bytes), part(Buffer.from('part')), text(bytes)]);
        goodMember([part(bytes), text(bytes), part(bytes), text(bytes), part(bytes)]);
      }
    });
  }

  const words = Buffer.from('word '.repeat(20));
  const order: Record<string, Piece> = { F: part(words), T: text(words), '0': part(Buffer.alloc(0)) };
  for (const letters of ['', 'F', 'T', '0', 'FF', 'TT', 'FT', 'TF', 'F0F', '0F0', '00', 'TFFT', 'T0TF0']) {
    test(`is correct for the sequence ${letters || '(empty)'} (F: fragment, T: text, 0: empty fragment)`, () => {
      goodMember([...letters].flatMap(letter => order[letter] ?? []));
    });
  }

  test('is not created if one of its uncompressed texts is longer than 65,535 bytes', () => {
    for (const size of [65_536, 65_537, 131_071, 300_000]) {
      const long = text(noise(size));
      assert.equal(memberOf([long, part(words)]), undefined);
      assert.equal(memberOf([part(words), long, part(words)]), undefined);
      assert.equal(memberOf([part(words), long]), undefined);
      assert.equal(memberOf([long]), undefined);
    }
    assert.equal(memberOf([text(noise(40_000)), text(noise(40_000))]), undefined);
  });

  test('contains the fragments unchanged, and the text in stored blocks (gzip blocks without compression)', () => {
    const [name, rest] = [Buffer.from('{"a":'), Buffer.from('}')];
    const players = Buffer.from('"players":'.repeat(100));
    const member = goodMember([text(name), part(players), text(rest)]);
    assert.ok(member.includes(name));
    // The first 12 bytes of a `deflateFragment` result are a header. The gzip member must contain only the compressed
    // data after it.
    const deflated = deflateFragment(players).subarray(12);
    assert.ok(member.includes(deflated));
    assert.ok(deflated.length < players.length / 4);
    assert.deepEqual(goodMember([text(name), part(players), text(rest)]), member);
  });
});
