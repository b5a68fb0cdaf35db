import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DistinctAddresses } from '../../../core/servers/distinct-addresses.ts';

const distinct = new DistinctAddresses();
const add = (text: string): boolean => {
  const bytes = Buffer.from(`<${text}>`);
  return distinct.add(bytes, 1, bytes.length - 1);
};

test('of a thousand different addresses none is suspected, and each is known again', () => {
  const addresses = Array.from({ length: 1000 }, (_, i) => `127.0.${i >> 8}.${i & 255}:27015`);
  for (let request = 0; request < 3; request++) {
    distinct.begin();
    assert.ok(addresses.every(add));
    assert.ok(addresses.every(address => !add(address)));
  }
});

test('what another request named does not count', () => {
  distinct.begin();
  assert.ok(add('a:1'));
  distinct.begin();
  assert.ok(add('a:1'));
  assert.ok(add(''));
  assert.ok(!add(''));
});

test('too many addresses end in suspicion, not in an endless search', () => {
  distinct.begin();
  let known = 0;
  while (add(`x:${known}`)) known++;
  assert.ok(known >= 1000);
});
