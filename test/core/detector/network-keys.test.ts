import assert from 'node:assert/strict';
import { test } from 'node:test';
import { networkKeysOf, networkKeysOfHost } from '../../../core/detector/network-keys.ts';
import { parseAddress } from '../../../net/address.ts';
import { randomNumbers } from '../../system/random-numbers.ts';

function of(text: string) {
  const address = parseAddress(text);
  assert.ok(address.kind !== 'malformed', text);
  return networkKeysOf(address.canonical);
}

test('the host key of an IPv4 address is the address as a number, and the network key is the first 24 bits', () => {
  const { host, network } = of('1.2.3.4:27015');
  assert.deepEqual([host, network], [0x01020304, 0x010203]);
  assert.deepEqual(of('1.2.3.4:1'), { host, network, isLocal: false, isV6: false }, 'whatever the port');
  assert.equal(of('1.2.3.255:2302').network, network);
  assert.notEqual(of('1.2.3.255:2302').host, host);
  assert.notEqual(of('1.2.4.4:27015').network, network);
  assert.notEqual(of('12.3.4.4:27015').network, network);
});

test('networkKeysOf() gives each IPv4 address a different 32-bit key', () => {
  const below = randomNumbers(5);
  const seen = new Map<number, string>();
  const addresses = ['0.0.0.0', '255.255.255.255', '128.0.0.1', '127.255.255.255', '200.1.2.3'];
  while (addresses.length < 2000) addresses.push([0, 0, 0, 0].map(() => below(256)).join('.'));
  for (const address of new Set(addresses)) {
    const { host, network } = networkKeysOf(`${address}:27015`);
    assert.deepEqual([host | 0, network | 0], [host, network], 'as Int32Array keeps it');
    assert.equal(host >>> 8, network & 0xffffff, address);
    assert.equal(seen.get(host), undefined, address);
    seen.set(host, address);
  }
});

test('all IPv6 addresses in the same /48 belong to one network, even if their zeros are written differently', () => {
  for (const [one, other] of [
    ['[2001:db8::1]:1', '[2001:db8:0:5:6:7:8:9]:2'],
    ['[2001:db8:1::]:1', '[2001:db8:1:2::3]:1'],
    ['[2001::1]:1', '[2001:0:0:9::]:1'],
    ['[2001:db8:0:1:1:1:1:1]:1', '[2001:db8::7]:1'],
  ] as const) {
    assert.equal(of(one).network, of(other).network, `${one} ${other}`);
    assert.notEqual(of(one).host, of(other).host, `${one} ${other}`);
  }
  assert.notEqual(of('[2001:db8::1]:1').network, of('[2001:db8:1::1]:1').network);
  assert.notEqual(of('[2001:db8:1::1]:1').network, of('[2001:db8:10::1]:1').network);
  assert.deepEqual(of('[2001:db8::1]:1'), of('[2001:0db8:0::0001]:65535'));
});

test('each host name counts as a separate network, even if the name begins like an IPv4 address', () => {
  assert.notEqual(of('a.example.com:1').network, of('b.example.com:1').network);
  assert.deepEqual(of('A.example.com.:1'), of('a.example.com:2'));
  assert.notEqual(of('1.2.3.example:1').network, of('1.2.3.4:1').network);
  assert.notEqual(of('1.2.3.4.example:1').host, of('1.2.3.4:1').host);
});

test('networkKeysOfHost(host) and networkKeysOf(host:port) return the same 32-bit keys for the host and its network', () => {
  assert.deepEqual(networkKeysOfHost('203.0.113.7'), of('203.0.113.7:27015'));
  assert.deepEqual(networkKeysOfHost('2001:db8::1'), of('[2001:db8::1]:27015'));
  assert.deepEqual(networkKeysOfHost('a.example.com'), of('a.example.com:27015'));
});

test('loopback, private, link-local and shared addresses are marked as local, and internet addresses are not', () => {
  const own = [
    '127.0.0.1',
    '10.1.2.3',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.7.7',
    '169.254.1.1',
    '100.64.0.1',
  ];
  for (const host of [...own, '[::1]', '[fd00::1]', '[fe80::1]']) assert.ok(of(`${host}:1`).isLocal, host);
  const others = ['1.2.3.4', '172.15.0.1', '172.32.0.1', '192.169.0.1', '100.128.0.1', '11.0.0.1'];
  for (const host of [...others, '[2001:db8::1]', 'play.example'])
    assert.equal(of(`${host}:1`).isLocal, false, host);
});
