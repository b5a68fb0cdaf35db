import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CUT_SHORT, encodeVarint32, readVarint32, TOO_LONG, Varint } from '../../runtime/varint.ts';

/** Encodes a number below 2^64 as a varint. This simple implementation follows the definition and is not optimized. */
function bytesOf(value: bigint): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 0x80);
  return Buffer.from([...bytes, Number(rest)]);
}

test('Varint reads numbers of all lengths, both as 32-bit and as 64-bit numbers', () => {
  const number = new Varint();
  for (let bits = 0n; bits <= 64n; bits++) {
    for (const value of [2n ** bits - 1n, 2n ** bits, 2n ** bits + 1n]) {
      if (value >= 2n ** 64n) continue;
      const bytes = bytesOf(value);
      assert.equal(number.read(Buffer.concat([Buffer.of(0xff), bytes]), 1), 1 + bytes.length);
      assert.equal(number.uint64, Number(value));
      assert.equal(number.uint32, Number(BigInt.asUintN(32, value)));
      assert.equal(number.int32, Number(BigInt.asIntN(32, value)));
    }
  }
});

test('Varint accepts a number that ends with unnecessary zero bytes, and ignores bits above the 64th', () => {
  const number = new Varint();
  assert.equal(number.read(Buffer.from([0x81, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00]), 0), 8);
  assert.equal(number.uint64, 1);
  assert.equal(number.read(Buffer.from([0x82, ...Array(8).fill(0x80), 0x7e]), 0), 10);
  assert.equal(number.uint64, 2);
});

test('Varint reports a truncated varint and a varint with too many bytes as errors', () => {
  const number = new Varint();
  const long = Buffer.alloc(12, 0xff);
  assert.equal(number.read(Buffer.of(), 0), CUT_SHORT);
  assert.equal(number.read(long, 0, 9), CUT_SHORT);
  assert.equal(number.read(long, 0), TOO_LONG);
  assert.equal(number.read(long, 0, 12, 5), TOO_LONG);
  assert.equal(readVarint32(long.subarray(0, 4), 0), undefined);
  assert.throws(() => readVarint32(long, 0), RangeError);
});

test('readVarint32 returns the 32-bit number that encodeVarint32 wrote', () => {
  for (const value of [0, 1, 127, 128, 16_384, 0x7fff_ffff, -1, -0x8000_0000]) {
    const bytes = encodeVarint32(value);
    assert.deepEqual(bytes, bytesOf(BigInt.asUintN(32, BigInt(value))));
    assert.deepEqual(readVarint32(bytes, 0), { value, next: bytes.length });
  }
});
