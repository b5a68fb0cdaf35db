import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { addressKey } from '../../net/address-key.ts';
import { AddressRanges, isMappedIPv4, literalKey } from '../../net/address-ranges.ts';

describe('AddressRanges', () => {
  test('hold their first and their last address, and none beyond', () => {
    const ranges = new AddressRanges(['10.1.0.0/16', '172.16.0.0/12', '8.8.8.8', 'fd00:1::/32', '::1']);
    const inside = ['10.1.0.0', '10.1.255.255', '172.16.0.0', '172.31.255.255', '8.8.8.8'];
    const outside = ['10.0.255.255', '10.2.0.0', '172.15.255.255', '172.32.0.0', '8.8.8.7', '8.8.8.9'];
    for (const ip of inside) assert.equal(ranges.has(addressKey(ip)), true, ip);
    for (const ip of outside) assert.equal(ranges.has(addressKey(ip)), false, ip);
    for (const ip of ['fd00:1::', 'FD00:1:ffff:ffff:ffff:ffff:ffff:ffff', '0:0:0:0:0:0:0:1']) {
      assert.equal(ranges.has(addressKey(ip)), true, ip);
    }
    for (const ip of ['fd00::ffff', 'fd00:2::', '::2', '::'])
      assert.equal(ranges.has(addressKey(ip)), false, ip);
  });

  test('take the network of an address with more bits than it needs', () => {
    assert.equal(new AddressRanges(['10.1.2.3/8']).has(addressKey('10.9.9.9')), true);
  });

  test('0.0.0.0/0 and ::/0 hold all of a family and nothing of the other', () => {
    const four = new AddressRanges(['0.0.0.0/0']);
    const six = new AddressRanges(['::/0']);
    for (const ip of ['0.0.0.0', '127.0.0.1', '128.0.0.0', '255.255.255.255']) {
      assert.deepEqual([four.has(addressKey(ip)), six.has(addressKey(ip))], [true, false], ip);
    }
    for (const ip of ['::', 'ffff::1'])
      assert.deepEqual([four.has(addressKey(ip)), six.has(addressKey(ip))], [false, true], ip);
  });

  test('none hold nothing', () => {
    const none = new AddressRanges([]);
    assert.deepEqual([none.has(addressKey('1.2.3.4')), none.has(addressKey('::1'))], [false, false]);
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
    test(`${JSON.stringify(range)} is refused, with a word on how to write one`, () => {
      assert.throws(
        () => new AddressRanges([range]),
        error => error instanceof RangeError && error.message.includes('write one as'),
      );
    });
  }
});

test('literalKey knows literals from names, and those without a zone', () => {
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

test('isMappedIPv4 sees through every way to write it', () => {
  for (const ip of ['::ffff:1.2.3.4', '::FFFF:102:304', '0:0:0:0:0:ffff:1.2.3.4', '::ffff:0:0']) {
    assert.equal(isMappedIPv4(ip), true, ip);
  }
  for (const ip of ['::1.2.3.4', '::ffff:0:1.2.3.4', '::fffe:1.2.3.4', '::1', '2002::1']) {
    assert.equal(isMappedIPv4(ip), false, ip);
  }
});
