import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LengthPrefixed } from '../../../core/rpc/length-prefixed.ts';
import { ByteWriter } from '../../../proto/codec/byte-writer.ts';

test('LengthPrefixed writes the gRPC prefix (the byte 0 and the message length) before each message', () => {
  const writer = new ByteWriter();
  LengthPrefixed.begin(writer);
  assert.equal(LengthPrefixed.isEmpty(writer), true);
  writer.text('first');
  assert.equal(LengthPrefixed.isEmpty(writer), false);
  const first = LengthPrefixed.take(writer);
  assert.equal(LengthPrefixed.isEmpty(writer), true);
  writer.copy(Buffer.alloc(0x01_02_03, 'x'));
  const second = LengthPrefixed.take(writer);

  assert.deepEqual(first.bytes, Buffer.from('\0\0\0\0\x05first', 'latin1'));
  assert.equal(second.bytes.length, 5 + 0x01_02_03);
  assert.deepEqual(second.bytes.subarray(0, 6), Buffer.from([0, 0, 1, 2, 3, 0x78]));
});
