import assert from 'node:assert/strict';
import { test } from 'node:test';
import { networkOf } from '../../net/network.ts';

test('an IPv4 address is in its /24, an IPv6 address in its /48, however it is shortened', () => {
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
