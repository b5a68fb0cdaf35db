import assert from 'node:assert/strict';
import { syncBuiltinESMExports } from 'node:module';
import { isIP } from 'node:net';
import os from 'node:os';
import { test } from 'node:test';
import { interfaceAddresses } from '../../net/interface-addresses.ts';

test('this machine holds loopback, and nothing that is no address', () => {
  const held = interfaceAddresses();
  assert.ok(held.includes('127.0.0.1'), held.join());
  for (const address of held) assert.notEqual(isIP(address), 0, address);
});

test('all addresses of all interfaces, without zones', t => {
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
