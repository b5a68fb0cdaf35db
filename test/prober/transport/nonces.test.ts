import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Nonces } from '../../../prober/transport/nonces.ts';

test('2000 nonces (random 64-bit numbers) are all different', () => {
  const nonces = new Nonces();
  const made = Array.from({ length: 2000 }, () => nonces.next());
  assert.equal(new Set(made).size, 2000);
  assert.ok(made.every(nonce => nonce >= 0n && nonce < 2n ** 64n));
  assert.ok(made.some(nonce => nonce >= 2n ** 63n));
});
