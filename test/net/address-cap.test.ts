import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AddressCap, holderOf } from '../../net/address-cap.ts';

test('an address has its share and no more, and what it gives back it may take again', () => {
  const cap = new AddressCap(2);
  const give = cap.take('192.0.2.1');
  assert.ok(give);
  assert.ok(cap.take('192.0.2.1'));
  assert.equal(cap.take('192.0.2.1'), undefined);
  assert.ok(cap.take('192.0.2.2'), 'another has its own');
  give();
  assert.ok(cap.take('192.0.2.1'));
  assert.equal(cap.take('192.0.2.1'), undefined);
});

test('nothing is kept of an address that has given all back', () => {
  const cap = new AddressCap(2);
  const gives = ['192.0.2.1', '192.0.2.1', '198.51.100.1'].map(address => cap.take(address));
  assert.equal(cap.size, 2);
  for (const give of gives) give?.();
  assert.equal(cap.size, 0);
});

test('addresses of this machine are not counted, in whatever form', () => {
  const cap = new AddressCap(0);
  for (const address of ['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1']) assert.ok(cap.take(address));
  assert.equal(cap.take('192.0.2.1'), undefined);
  assert.equal(cap.take('::ffff:192.0.2.1'), undefined);
  assert.equal(cap.size, 0);
});

test('an IPv6 address counts as its /64, an IPv4 as itself', () => {
  for (const [address, holder] of [
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    ['2001:db8::1', '2001:db8:0:0'],
    ['2001:db8:0:0:1::', '2001:db8:0:0'],
    ['2001:db8:1:2::', '2001:db8:1:2'],
    ['fe80::1%eth0', 'fe80:0:0:0'],
  ] as const) {
    assert.equal(holderOf(address), holder, address);
  }
});
