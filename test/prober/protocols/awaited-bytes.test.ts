import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AwaitedBytes } from '../../../prober/protocols/awaited-bytes.ts';

test('awaited bytes are returned at once, and then only when there are enough', () => {
  const awaited = new AwaitedBytes();
  assert.equal(awaited.add(Buffer.alloc(0)), undefined);
  assert.equal(awaited.add(Buffer.from('ab'))?.toString(), 'ab');
  awaited.await(Buffer.from('b'), 4);
  assert.equal(awaited.add(Buffer.from('cd')), undefined);
  assert.equal(awaited.add(Buffer.from('ef'))?.toString(), 'bcdef');
});

test('awaited bytes that are not awaited again stay, with all that follows', () => {
  const awaited = new AwaitedBytes();
  awaited.add(Buffer.from('a'));
  assert.equal(awaited.add(Buffer.from('b'))?.toString(), 'ab');
});
