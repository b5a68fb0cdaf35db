import assert from 'node:assert/strict';
import type { LookupAddress } from 'node:dns';
import { test } from 'node:test';
import type { Resolution } from '../../../net/resolver.ts';
import { TargetPolicy } from '../../../net/targets.ts';
import { guardedLookup } from '../../../prober/directories/guarded-lookup.ts';

const NAME = 'directory.example';

/**
 * Looks up the host name NAME with `guardedLookup`, a DNS look-up that returns only allowed addresses. Resolves to the
 * found addresses. Rejects with the error of the look-up.
 */
function found(
  resolution: Resolution,
  policy: TargetPolicy,
  options: { all?: boolean; family?: number } = { all: true },
): Promise<string | LookupAddress[]> {
  const lookup = guardedLookup({ resolve: async () => resolution, allows: ip => policy.allows(ip) });
  return new Promise((resolve, reject) => {
    lookup(NAME, options, (error, address) => (error ? reject(error) : resolve(address)));
  });
}

const leadingTo = (...addresses: string[]): Resolution => ({ kind: 'addresses', addresses });
const refusal = { message: `may not connect to ${NAME}: it has no address that may be connected to` };

test('guardedLookup() fails if the DNS name of a server directory has only forbidden addresses', async () => {
  const inward = ['127.0.0.1', '169.254.169.254', '10.0.0.1', '::1', '::ffff:127.0.0.1', 'fe80::1'];
  for (const ip of inward) await assert.rejects(found(leadingTo(ip), new TargetPolicy([])), refusal, ip);
  const denied = new TargetPolicy(['127.0.0.0/8'], { denied: ['127.0.0.1'] });
  await assert.rejects(found(leadingTo('127.0.0.1'), denied), refusal);
  await assert.rejects(
    found(leadingTo('1.2.3.4'), new TargetPolicy([], { interfaces: ['1.2.3.4'] })),
    refusal,
  );
});

test('guardedLookup() returns only allowed addresses of a DNS name, and only addresses of the requested IP version', async () => {
  const resolution = leadingTo('10.0.0.1', '1.2.3.4', '2600::1');
  const policy = new TargetPolicy([]);
  const both = [
    { address: '1.2.3.4', family: 4 },
    { address: '2600::1', family: 6 },
  ];
  assert.deepEqual(await found(resolution, policy), both);
  assert.deepEqual(await found(resolution, policy, { all: true, family: 6 }), [both[1]]);
  assert.equal(await found(resolution, policy, { family: 0 }), '1.2.3.4');
  await assert.rejects(found(leadingTo('1.2.3.4'), policy, { family: 6 }), refusal);
});

test('guardedLookup() sends no DNS query for an IP address, but checks whether the address is allowed', async () => {
  const resolve = () => assert.fail('an address was looked up');
  const policy = new TargetPolicy([]);
  const lookup = guardedLookup({ resolve, allows: ip => policy.allows(ip) });
  const given = (address: string) =>
    new Promise((done, reject) =>
      lookup(address, { all: true }, (error, addresses) => (error ? reject(error) : done(addresses))),
    );
  assert.deepEqual(await given('1.2.3.4'), [{ address: '1.2.3.4', family: 4 }]);
  await assert.rejects(given('127.0.0.1'), /has no address that may be connected to/);
});

test('the error of guardedLookup() explains why the DNS look-up found no address', async () => {
  const policy = new TargetPolicy([]);
  await assert.rejects(found({ kind: 'absent' }, policy), /no address was found: it has none$/);
  await assert.rejects(
    found({ kind: 'failed', reason: 'ETIMEOUT' }, policy),
    /no address was found: ETIMEOUT$/,
  );
});
