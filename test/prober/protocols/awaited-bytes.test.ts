import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AwaitedBytes } from '../../../prober/protocols/awaited-bytes.ts';

test('gives what there is at once, then nothing until there is enough', () => {
  const awaited = new AwaitedBytes();
  assert.equal(awaited.add(Buffer.alloc(0)), undefined);
  assert.equal(awaited.add(Buffer.from('ab'))?.toString(), 'ab');
  awaited.await(Buffer.from('b'), 4);
  assert.equal(awaited.add(Buffer.from('cd')), undefined);
  assert.equal(awaited.add(Buffer.from('ef'))?.toString(), 'bcdef');
});

test('what is not awaited anew stays, with all that follows', () => {
  const awaited = new AwaitedBytes();
  awaited.add(Buffer.from('a'));
  assert.equal(awaited.add(Buffer.from('b'))?.toString(), 'ab');
});
