import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FREE_DAY_QUOTA, RefusedError } from '../../../core/access/allowance.ts';
import type { Caller } from '../../../core/access/caller.ts';
import { anywhere, openAuthenticator } from './authenticator-fixture.ts';

test('a token over its limit of requests per second gets the error RATE_1, and a different token is still admitted', async t => {
  const { authenticator, token } = await openAuthenticator(t, 3);
  const { id, credentials } = await token();
  const other = await token();
  const results = await Promise.allSettled(
    Array.from({ length: 5 }, () => authenticator.admit(credentials, anywhere)),
  );
  assert.deepEqual(
    results.map(({ status }) => status),
    ['fulfilled', 'fulfilled', 'fulfilled', 'rejected', 'rejected'],
  );
  const [last] = results.slice(-1);
  assert.ok(last?.status === 'rejected' && last.reason instanceof RefusedError);
  assert.equal(last.reason.code, 'RATE_1');
  assert.deepEqual(last.reason.details, {
    retryAfterSeconds: 1,
    facts: { limit_per_second: '3' },
    quotaSubject: `token:${id}`,
  });
  assert.deepEqual(
    last.reason.allowances.map(({ policy, limit, remaining }) => [policy, limit, remaining]),
    [
      ['burst', 3, 0],
      ['day', 1440, 1440],
    ],
  );
  await authenticator.admit(other.credentials, anywhere);
});

test('the request limit of an IP address counts the requests of all tokens, and does not apply to loopback and proxies', async t => {
  const { authenticator, token } = await openAuthenticator(t, 100, 3);
  const [one, other] = [await token(), await token()];
  const admit = (caller: Caller, { credentials } = one) => authenticator.admit(credentials, caller);
  const tokenService: Caller = { address: '203.0.113.9', domain: '' };
  await admit(tokenService);
  await admit(tokenService, other);
  await admit(tokenService);
  await assert.rejects(admit(tokenService, other), (error: RefusedError) => {
    assert.equal(error.code, 'RATE_1');
    assert.deepEqual(error.details, {
      retryAfterSeconds: 1,
      facts: { limit_per_second: '3' },
      quotaSubject: 'clientip:203.0.113.9',
    });
    assert.match(error.message, /More than 3 requests from your address/);
    assert.deepEqual(
      error.allowances.map(({ policy, remaining }) => [policy, remaining]),
      [
        ['burst', 99],
        ['day', FREE_DAY_QUOTA],
      ],
    );
    return true;
  });
  await admit({ ...tokenService, address: '203.0.113.10' });
  for (const caller of [
    { ...tokenService, proxied: true },
    { ...tokenService, address: '127.0.0.1' },
    { ...tokenService, address: '' },
  ]) {
    for (let i = 0; i < 5; i++) await admit(caller);
  }
  for (const address of ['2001:db8:1:2::1', '2001:db8:1:2::2', '2001:db8:1:2:ffff::3']) {
    await admit({ ...tokenService, address });
  }
  await assert.rejects(admit({ ...tokenService, address: '2001:db8:1:2:9::9' }), { code: 'RATE_1' });
  await admit({ ...tokenService, address: '2001:db8:1:3::1' });
});

test('the value 0 turns off the request limit of IP addresses', async t => {
  const { authenticator, token } = await openAuthenticator(t, 100, 0);
  const { credentials } = await token();
  for (let i = 0; i < 100; i++) await authenticator.admit(credentials, anywhere);
});
