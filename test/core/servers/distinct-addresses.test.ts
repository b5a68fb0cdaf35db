import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DistinctAddresses } from '../../../core/servers/distinct-addresses.ts';

const distinct = new DistinctAddresses();
const add = (text: string): boolean => {
  const bytes = Buffer.from(`<${text}>`);
  return distinct.addAddress(bytes, 1, bytes.length - 1);
};

test('DistinctAddresses accepts a thousand different addresses, and reports an address that is added a second time', () => {
  const addresses = Array.from({ length: 1000 }, (_, i) => `127.0.${i >> 8}.${i & 255}:27015`);
  for (let request = 0; request < 3; request++) {
    distinct.begin();
    assert.ok(addresses.every(add));
    assert.ok(addresses.every(address => !add(address)));
  }
});

test('DistinctAddresses (finds repeated addresses in a request) accepts an address that was in the previous request', () => {
  distinct.begin();
  assert.ok(add('a:1'));
  distinct.begin();
  assert.ok(add('a:1'));
  assert.ok(add(''));
  assert.ok(!add(''));
});

test('DistinctAddresses accepts only a limited number of addresses in a request, but at least 1000', () => {
  distinct.begin();
  let known = 0;
  while (add(`x:${known}`)) known++;
  assert.ok(known >= 1000);
});
