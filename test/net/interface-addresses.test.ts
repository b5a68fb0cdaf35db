import assert from 'node:assert/strict';
import { syncBuiltinESMExports } from 'node:module';
import { isIP } from 'node:net';
import os from 'node:os';
import { test } from 'node:test';
import { interfaceAddresses } from '../../net/interface-addresses.ts';

test('interfaceAddresses returns IP addresses only, and 127.0.0.1 is one of them', () => {
  const addresses = interfaceAddresses();
  assert.ok(addresses.includes('127.0.0.1'), addresses.join());
  for (const address of addresses) assert.notEqual(isIP(address), 0, address);
});

test('interfaceAddresses returns all addresses of all network interfaces, and removes IPv6 zones', t => {
  const at = (address: string) => ({
    address,
    netmask: '',
    family: 'IPv4',
    mac: '',
    internal: false,
    cidr: null,
  });
  t.mock.method(os, 'networkInterfaces', () => ({
    lo: [at('127.0.0.1'), at('::1')],
    eth0: [at('1.2.3.4'), at('fe80::1%eth0')],
    gone: undefined,
  }));
  syncBuiltinESMExports();
  t.after(() => {
    t.mock.restoreAll();
    syncBuiltinESMExports();
  });
  assert.deepEqual(interfaceAddresses(), ['127.0.0.1', '::1', '1.2.3.4', 'fe80::1']);
});
