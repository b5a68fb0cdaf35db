import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressKey } from '../../../prober/transport/address-key.ts';
import { addressText } from '../address-text.ts';

test('an IPv4 address is the whole number of its bytes, and reads back', () => {
  assert.equal(addressKey('1.2.3.4'), 0x01020304);
  assert.equal(addressKey('255.255.255.254'), -2);
  for (const address of ['0.0.0.0', '127.0.0.1', '128.9.10.99', '255.255.255.255', '203.0.113.200']) {
    assert.equal(addressText(addressKey(address)), address);
  }
});

test('an IPv6 address is its text, also where it ends as IPv4 is written', () => {
  for (const address of ['::1', '2001:db8::1', '::ffff:1.2.3.4', 'fe80::1%eth0']) {
    assert.equal(addressKey(address), address);
  }
});
