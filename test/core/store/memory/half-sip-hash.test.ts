import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HalfSipHash } from '../../../../core/store/memory/half-sip-hash.ts';

test('HalfSipHash returns the hashes of the test vectors of the Linux kernel, at any offset in the buffer', () => {
  // HalfSipHash test vectors of Linux: test_vectors_hsiphash in lib/tests/siphash_kunit.c. The key consists of the
  // bytes 0, 1, 2, … 7. An input of n bytes consists of the bytes 0, 1, 2, … n - 1.
  const expected = [
    0x5814c896, 0xe7e864ca, 0xbc4b0e30, 0x01539939, 0x7e059ea6, 0x88e3d89b, 0xa0080b65, 0x9d38d9d6,
    0x577999b1, 0xc839caed, 0xe4fa32cf, 0x959246ee, 0x6b28096c, 0x66dd9cd6, 0x16658a7c, 0xd0257b04,
    0x8b31d501,
  ];
  const hash = new HalfSipHash(0x03020100, 0x07060504);
  for (const start of [0, 1, 2, 3]) {
    const bytes = Buffer.alloc(64, 0xff);
    for (let i = 0; i < 32; i++) bytes[start + i] = i;
    const found = expected.map((_, length) => hash.hash(bytes, start, start + length) >>> 0);
    assert.deepEqual(found, expected);
  }
});
