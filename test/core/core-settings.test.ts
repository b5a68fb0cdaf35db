import assert from 'node:assert/strict';
import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';
import { test } from 'node:test';
import { checkSettings } from '../../core/core-settings.ts';
import { loadConfig } from '../../runtime/load-config.ts';
import { settings } from '../../runtime/settings.ts';

const policyOf = (environment: Record<string, string>) =>
  checkSettings(loadConfig(settings, environment, []));

test('probe targets are public networks and networks in GSQ_ALLOW_TARGETS, except networks in GSQ_DENY_TARGETS', () => {
  const policy = policyOf({
    GSQ_ALLOW_TARGETS: '127.0.0.0/8,fd00::/8',
    GSQ_DENY_TARGETS: '127.9.0.0/16,1.2.3.4,fd00:9::/32',
  });
  for (const ip of ['127.0.0.1', 'fd00::1', '1.2.3.5']) assert.equal(policy.allows(ip), true, ip);
  for (const ip of ['127.9.0.1', 'fd00:9::1', '1.2.3.4', '10.0.0.1'])
    assert.equal(policy.allows(ip), false, ip);
  assert.deepEqual(policy.opened, ['127.0.0.0/8', 'fd00::/8']);
  assert.deepEqual(policy.denied, ['127.9.0.0/16', '1.2.3.4', 'fd00:9::/32']);
});

test('probes to the public address of this machine are allowed only if GSQ_ALLOW_TARGETS contains this address', t => {
  const held = { address: '8.8.4.4', netmask: '', family: 'IPv4', mac: '', internal: false, cidr: null };
  t.mock.method(os, 'networkInterfaces', () => ({ eth0: [held] }));
  syncBuiltinESMExports();
  t.after(() => {
    t.mock.restoreAll();
    syncBuiltinESMExports();
  });
  assert.equal(policyOf({}).allows('8.8.4.4'), false);
  assert.equal(policyOf({}).allows('8.8.8.8'), true);
  assert.equal(policyOf({ GSQ_ALLOW_TARGETS: '8.8.4.4' }).allows('8.8.4.4'), true);
});

for (const setting of ['GSQ_ALLOW_TARGETS', 'GSQ_DENY_TARGETS']) {
  test(`a malformed range in ${setting} causes a ConfigError, and the message names the setting and the range`, () => {
    assert.throws(() => policyOf({ [setting]: '10.0.0.0/8,10.0.0.0/99' }), {
      name: 'ConfigError',
      message: `${setting}: "10.0.0.0/99" is not a CIDR range; write one as 10.0.0.0/8 or fd00::/8`,
    });
  });
}

test('GSQ_MEMBER_ADDR must have a host and a port that other machines can reach', () => {
  const check = (address: string) =>
    policyOf({ GSQ_STORE: 'redis://127.0.0.1:6379', GSQ_MEMBER_ADDR: address });
  assert.doesNotThrow(() => check('core1.example.com:50052'));
  for (const address of [':50052', '0.0.0.0:50052', '[::]:50052', 'core1.example.com:0'])
    assert.throws(
      () => check(address),
      /^ConfigError: GSQ_MEMBER_ADDR: other machines cannot reach/,
      address,
    );
});
