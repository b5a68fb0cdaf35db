import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AddressCap } from '../../net/address-cap.ts';

test('AddressCap (limit of connections per address) refuses an address that uses all its slots, until a slot is released', () => {
  const cap = new AddressCap(2);
  const releaseSlot = cap.takeSlot('192.0.2.1');
  assert.ok(releaseSlot);
  assert.ok(cap.takeSlot('192.0.2.1'));
  assert.equal(cap.takeSlot('192.0.2.1'), undefined);
  assert.ok(cap.takeSlot('192.0.2.2'), 'another address has slots of its own');
  releaseSlot();
  assert.ok(cap.takeSlot('192.0.2.1'));
  assert.equal(cap.takeSlot('192.0.2.1'), undefined);
});

test('AddressCap (limit of connections per address) stores nothing about an address that has released all its slots', () => {
  const cap = new AddressCap(2);
  const releases = ['192.0.2.1', '192.0.2.1', '198.51.100.1'].map(address => cap.takeSlot(address));
  assert.equal(cap.size, 2);
  for (const releaseSlot of releases) releaseSlot?.();
  assert.equal(cap.size, 0);
});

test('AddressCap (limit of connections per address) does not limit loopback addresses, including IPv4-mapped loopback addresses', () => {
  const cap = new AddressCap(0);
  for (const address of ['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1'])
    assert.ok(cap.takeSlot(address));
  assert.equal(cap.takeSlot('192.0.2.1'), undefined);
  assert.equal(cap.takeSlot('::ffff:192.0.2.1'), undefined);
  assert.equal(cap.size, 0);
});
