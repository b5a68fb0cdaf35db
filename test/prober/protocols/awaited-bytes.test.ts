import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AwaitedBytes } from '../../../prober/protocols/awaited-bytes.ts';

test('AwaitedBytes returns the first bytes immediately, and later bytes only after the awaited number has arrived', () => {
  const awaited = new AwaitedBytes();
  assert.equal(awaited.add(Buffer.alloc(0)), undefined);
  assert.equal(awaited.add(Buffer.from('ab'))?.toString(), 'ab');
  awaited.await(Buffer.from('b'), 4);
  assert.equal(awaited.add(Buffer.from('cd')), undefined);
  assert.equal(awaited.add(Buffer.from('ef'))?.toString(), 'bcdef');
});

test('AwaitedBytes returns all bytes received so far with each chunk if no number of bytes is awaited', () => {
  const awaited = new AwaitedBytes();
  awaited.add(Buffer.from('a'));
  assert.equal(awaited.add(Buffer.from('b'))?.toString(), 'ab');
});
