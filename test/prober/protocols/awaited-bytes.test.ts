import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AwaitedBytes } from '../../../prober/protocols/awaited-bytes.ts';

test('AwaitedBytes returns undefined until the number of bytes that the caller waits for has arrived', () => {
  const awaited = new AwaitedBytes();
  assert.equal(awaited.addBytes(Buffer.alloc(0)), undefined);
  assert.equal(awaited.addBytes(Buffer.from('ab'))?.toString(), 'ab');
  awaited.await(Buffer.from('b'), 4);
  assert.equal(awaited.addBytes(Buffer.from('cd')), undefined);
  assert.equal(awaited.addBytes(Buffer.from('ef'))?.toString(), 'bcdef');
});

test('AwaitedBytes returns all bytes collected so far after each chunk if the caller waits for no number of bytes', () => {
  const awaited = new AwaitedBytes();
  awaited.addBytes(Buffer.from('a'));
  assert.equal(awaited.addBytes(Buffer.from('b'))?.toString(), 'ab');
});
