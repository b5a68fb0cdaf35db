import assert from 'node:assert/strict';
import { isIPv4 } from 'node:net';
import { test } from 'node:test';
import { addressKey } from '../../net/address-key.ts';
import { addressText } from '../prober/address-text.ts';

test('addressKey returns the four bytes of an IPv4 address as a signed 32-bit integer', () => {
  assert.equal(addressKey('1.2.3.4'), 0x01020304);
  assert.equal(addressKey('255.255.255.254'), -2);
  for (const address of ['0.0.0.0', '127.0.0.1', '128.9.10.99', '255.255.255.255', '203.0.113.200']) {
    assert.equal(addressText(addressKey(address)), address);
  }
});

test('addressKey returns a string unchanged if it is not an IPv4 address', () => {
  for (const text of [
    '',
    '.',
    '1',
    '1.2.3',
    '1.2.3.',
    '.1.2.3',
    '1..2.3',
    '1.2.3.4.5',
    '1.2.3.256',
    '1.2.3.999',
  ]) {
    assert.equal(addressKey(text), text);
  }
  for (const text of [
    '01.2.3.4',
    '1.2.3.00',
    '1.2.3.4 ',
    '1.2.3.-4',
    '1.2.3.a',
    '0x7f.0.0.1',
    'play.example',
  ]) {
    assert.equal(addressKey(text), text);
  }
});

test('addressKey returns a number only for the strings that Node accepts as IPv4 addresses', () => {
  const octets = [
    '0',
    '00',
    '1',
    '9',
    '10',
    '010',
    '99',
    '100',
    '199',
    '249',
    '255',
    '256',
    '1000',
    '',
    '+1',
    '1e1',
  ];
  for (const a of octets) {
    for (const b of octets) {
      for (const text of [`${a}.1.${b}.3`, `1.${a}.2.${b}`]) {
        assert.equal(typeof addressKey(text) === 'number', isIPv4(text), text);
      }
    }
  }
});

test('addressKey returns an IPv6 address unchanged, even if it ends in IPv4 notation', () => {
  for (const address of ['::1', '2001:db8::1', '::ffff:1.2.3.4', 'fe80::1%eth0']) {
    assert.equal(addressKey(address), address);
  }
});
