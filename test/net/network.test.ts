import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limitKeyOf, networkOf } from '../../net/network.ts';

test('networkOf returns the /24 network of an IPv4 address and the /48 network of an IPv6 address', () => {
  for (const [address, network] of [
    ['1.2.3.4', '1.2.3'],
    ['1.2.3.254', '1.2.3'],
    ['12.3.4.5', '12.3.4'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1'],
    ['2001:db8:1::', '2001:db8:1'],
    ['2001:db8::1', '2001:db8:0'],
    ['2001:db8::1:2:3:4:5', '2001:db8:0'],
    ['2001::1:2:3:4:5', '2001:0:0'],
    ['2001::5:1:2:3:4:5', '2001:0:5'],
    ['::1', '0:0:0'],
    ['::', '0:0:0'],
    ['::ffff:1.2.3.4', '0:0:0'],
    ['1::', '1:0:0'],
  ] as const) {
    assert.equal(networkOf(address), network, address);
  }
});

test('limitKeyOf (key under which the limits for an address are counted) returns an IPv4 address unchanged, and the /64 network of an IPv6 address', () => {
  for (const [address, key] of [
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    ['2001:db8::1', '2001:db8:0:0'],
    ['2001:db8:0:0:1::', '2001:db8:0:0'],
    ['2001:db8:1:2::', '2001:db8:1:2'],
    ['fe80::1%eth0', 'fe80:0:0:0'],
    ['::FFFF:c000:0201', '192.0.2.1'],
    ['64:ff9b::192.0.2.1', '64:ff9b:0:0'],
  ] as const) {
    assert.equal(limitKeyOf(address), key, address);
  }
});
