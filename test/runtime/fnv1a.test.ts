import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FNV_OFFSET, fnv1aBytes, fnv1aStep, fnv1aText } from '../../runtime/fnv1a.ts';

/** Test vectors of the 32-bit hash FNV-1a, from draft-eastlake-fnv. */
const VECTORS: readonly [text: string, hash: number][] = [
  ['', 0x811c9dc5],
  ['a', 0xe40c292c],
  ['b', 0xe70c2de5],
  ['foobar', 0xbf9cf968],
];

test('the FNV-1a functions for text, for bytes and for single bytes return the hashes of the published test vectors', () => {
  for (const [text, hash] of VECTORS) {
    const bytes = Buffer.from(text);
    assert.equal(fnv1aText(text) >>> 0, hash);
    assert.equal(fnv1aBytes(bytes, 0, bytes.length) >>> 0, hash);
    assert.equal(bytes.reduce((before, byte) => fnv1aStep(byte, before), FNV_OFFSET) >>> 0, hash);
  }
});

test('hashing several values in sequence with FNV-1a gives the hash of their concatenation', () => {
  assert.equal(fnv1aText('bar', fnv1aText('foo')), fnv1aText('foobar'));
  const bytes = Buffer.from('[foobar]');
  assert.equal(fnv1aBytes(bytes, 4, 7, fnv1aBytes(bytes, 1, 4)), fnv1aText('foobar'));
});
