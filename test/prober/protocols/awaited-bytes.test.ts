import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AwaitedBytes } from '../../../prober/protocols/awaited-bytes.ts';

test('AwaitedBytes (a buffer for stream data) returns no data until the awaited number of bytes has arrived', () => {
  const awaited = new AwaitedBytes();
  assert.equal(awaited.addBytes(Buffer.alloc(0)), undefined);
  assert.equal(awaited.addBytes(Buffer.from('ab'))?.toString(), 'ab');
  awaited.await(Buffer.from('b'), 4);
  assert.equal(awaited.addBytes(Buffer.from('cd')), undefined);
  assert.equal(awaited.addBytes(Buffer.from('ef'))?.toString(), 'bcdef');
});

test('AwaitedBytes (a buffer for stream data) returns all bytes received so far if no number of bytes is awaited', () => {
  const awaited = new AwaitedBytes();
  awaited.addBytes(Buffer.from('a'));
  assert.equal(awaited.addBytes(Buffer.from('b'))?.toString(), 'ab');
});
