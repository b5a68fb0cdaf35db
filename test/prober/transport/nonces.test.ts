import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Nonces } from '../../../prober/transport/nonces.ts';

test('2000 nonces of several batches are all different and have 64 bits', () => {
  const nonces = new Nonces();
  const made = Array.from({ length: 2000 }, () => nonces.next());
  assert.equal(new Set(made).size, 2000);
  assert.ok(made.every(nonce => nonce >= 0n && nonce < 2n ** 64n));
  assert.ok(made.some(nonce => nonce >= 2n ** 63n));
});
