import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { addressKey } from '../../net/address-key.ts';
import { AddressRanges, literalKey } from '../../net/address-ranges.ts';

describe('AddressRanges', () => {
  test('contains the first and the last address of each range, but neither the address before the range nor the one after', () => {
    const ranges = new AddressRanges(['10.1.0.0/16', '172.16.0.0/12', '8.8.8.8', 'fd00:1::/32', '::1']);
    const inside = ['10.1.0.0', '10.1.255.255', '172.16.0.0', '172.31.255.255', '8.8.8.8'];
    const outside = ['10.0.255.255', '10.2.0.0', '172.15.255.255', '172.32.0.0', '8.8.8.7', '8.8.8.9'];
    for (const ip of inside) assert.equal(ranges.contains(addressKey(ip)), true, ip);
    for (const ip of outside) assert.equal(ranges.contains(addressKey(ip)), false, ip);
    for (const ip of ['fd00:1::', 'FD00:1:ffff:ffff:ffff:ffff:ffff:ffff', '0:0:0:0:0:0:0:1']) {
      assert.equal(ranges.contains(addressKey(ip)), true, ip);
    }
    for (const ip of ['fd00::ffff', 'fd00:2::', '::2', '::'])
      assert.equal(ranges.contains(addressKey(ip)), false, ip);
  });

  test('ignores the address bits after the prefix length, so the range 10.1.2.3/8 contains 10.9.9.9', () => {
    assert.equal(new AddressRanges(['10.1.2.3/8']).contains(addressKey('10.9.9.9')), true);
  });

  test('contains all IPv4 and no IPv6 addresses for 0.0.0.0/0, and all IPv6 and no IPv4 addresses for ::/0', () => {
    const four = new AddressRanges(['0.0.0.0/0']);
    const six = new AddressRanges(['::/0']);
    for (const ip of ['0.0.0.0', '127.0.0.1', '128.0.0.0', '255.255.255.255']) {
      assert.deepEqual([four.contains(addressKey(ip)), six.contains(addressKey(ip))], [true, false], ip);
    }
    for (const ip of ['::', 'ffff::1'])
      assert.deepEqual([four.contains(addressKey(ip)), six.contains(addressKey(ip))], [false, true], ip);
  });

  test('contains no address if there are no ranges', () => {
    const none = new AddressRanges([]);
    assert.deepEqual(
      [none.contains(addressKey('1.2.3.4')), none.contains(addressKey('::1'))],
      [false, false],
    );
  });

  const bad = [
    '',
    'localhost',
    '10.0.0.0/33',
    '10.0.0.0/-1',
    '10.0.0.0/8/8',
    '10.0.0.0/',
    '10.0.0.0/a',
    '10.0.0/8',
    '010.0.0.0/8',
    '10.0.0.0/1.5',
    'fd00::/129',
    '[fd00::]/8',
    'fe80::1%lo',
    'fe80::1%1/10',
    '::ffff:10.0.0.0/104',
    '::ffff:10.0.0.1',
  ];
  for (const range of bad) {
    test(`refuses the range ${JSON.stringify(range)}, and the error explains how to write a range`, () => {
      assert.throws(
        () => new AddressRanges([range]),
        error => error instanceof RangeError && error.message.includes('write one as'),
      );
    });
  }
});

test('literalKey (map key of an IP address) returns undefined for a text that is not an IP address, and for an address with a zone', () => {
  assert.deepEqual(['1.2.3.4', '255.255.255.255'].map(literalKey), [0x01020304, -1]);
  for (const ip of ['::', '2600::1', '::FFFF:1.2.3.4']) assert.equal(literalKey(ip), ip);
  for (const text of [
    '',
    '1.2.3',
    '01.2.3.4',
    '0x7f.0.0.1',
    '1.2.3.4.',
    '[::1]',
    'fe80::1%lo',
    '::1%1',
    'a.b',
  ]) {
    assert.equal(literalKey(text), undefined, text);
  }
});
