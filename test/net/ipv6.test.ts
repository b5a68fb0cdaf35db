import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { expandIPv6, isMappedIPv4, plainIP, unmapIPv4 } from '../../net/ipv6.ts';

test('expandIPv6 returns all eight groups of an IPv6 address, even if it contains :: or ends in IPv4 notation', () => {
  for (const [ip, groups] of [
    ['::', '0:0:0:0:0:0:0:0'],
    ['::1', '0:0:0:0:0:0:0:1'],
    ['1::', '1:0:0:0:0:0:0:0'],
    ['2001:db8::1:2', '2001:db8:0:0:0:0:1:2'],
    ['1:2:3:4:5:6:7::', '1:2:3:4:5:6:7:0'],
    ['1:2:3:4:5:6:7:8', '1:2:3:4:5:6:7:8'],
    ['2001:0DB8::A', '2001:0DB8:0:0:0:0:0:A'],
    ['::ffff:1.2.3.4', '0:0:0:0:0:ffff:102:304'],
    ['1:2:3:4:5:6:255.254.0.1', '1:2:3:4:5:6:fffe:1'],
  ] as const) {
    assert.equal(expandIPv6(ip).join(':'), groups, ip);
  }
});

describe('unmapIPv4', () => {
  test('returns the IPv4 address of an IPv4-mapped IPv6 address in any spelling', () => {
    for (const ip of [
      '::ffff:1.2.3.4',
      '::FFFF:102:304',
      '0:0:0:0:0:ffff:1.2.3.4',
      '0000:0000:0000:0000:0000:FFFF:0102:0304',
      '0::0:ffff:102:304',
    ]) {
      assert.equal(unmapIPv4(ip), '1.2.3.4', ip);
      assert.equal(isMappedIPv4(ip), true, ip);
    }
    assert.equal(unmapIPv4('::ffff:0:0'), '0.0.0.0');
    assert.equal(unmapIPv4('::ffff:255.255.255.255'), '255.255.255.255');
  });

  test('returns a string unchanged if it is not an IPv4-mapped IPv6 address', () => {
    for (const text of [
      '1.2.3.4',
      '::1.2.3.4',
      '::ffff:0:1.2.3.4',
      '0:ffff::1.2.3.4',
      '::fffe:1.2.3.4',
      '::1',
      '2002::1',
      '::ffff:256.0.0.1',
      '::ffff:1.2.3',
      '::ffff:example.com',
      '::ffff:102:304:5:6:7:8:9',
      '',
    ]) {
      assert.equal(unmapIPv4(text), text);
      assert.equal(isMappedIPv4(text), false, text);
    }
  });
});

test('plainIP removes the zone of an address, and returns the IPv4 address of an IPv4-mapped address', () => {
  assert.equal(plainIP('fe80::1%eth0'), 'fe80::1');
  assert.equal(plainIP('::ffff:192.0.2.1%eth0'), '192.0.2.1');
  assert.equal(plainIP('192.0.2.1'), '192.0.2.1');
});
