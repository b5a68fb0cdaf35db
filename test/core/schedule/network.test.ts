import assert from 'node:assert/strict';
import { test } from 'node:test';
import { networkOfServer } from '../../../core/schedule/network.ts';
import { parseAddress } from '../../../proto/address.ts';

function of(text: string): string {
  const address = parseAddress(text);
  assert.ok(address.kind !== 'malformed');
  return networkOfServer(address.canonical);
}

test('IPv4: the /24', () => {
  assert.equal(of('1.2.3.4:27015'), of('1.2.3.255:2302'));
  assert.notEqual(of('1.2.3.4:27015'), of('1.2.4.4:27015'));
  assert.notEqual(of('1.2.3.4:27015'), of('12.3.4.4:27015'));
});

test('IPv6: the /48, wherever the zeros are left out', () => {
  for (const [one, other] of [
    ['[2001:db8::1]:1', '[2001:db8:0:5:6:7:8:9]:2'],
    ['[2001:db8:1::]:1', '[2001:db8:1:2::3]:1'],
    ['[2001::1]:1', '[2001:0:0:9::]:1'],
    ['[2001:db8:0:1:1:1:1:1]:1', '[2001:db8::7]:1'],
  ] as const) {
    assert.equal(of(one), of(other), `${one} ${other}`);
  }
  assert.notEqual(of('[2001:db8::1]:1'), of('[2001:db8:1::1]:1'));
  assert.notEqual(of('[2001:db8:1::1]:1'), of('[2001:db8:10::1]:1'));
  assert.notEqual(of('[2001::1]:1'), of('[2001:0:1::1]:1'));
});

test('a name is its own, and none is taken for an address', () => {
  assert.notEqual(of('a.example.com:1'), of('b.example.com:1'));
  assert.equal(of('a.example.com:1'), of('a.example.com:2'));
  assert.notEqual(of('1.2.3.example:1'), of('1.2.3.4:1'));
});
