import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FREE_DAY_QUOTA, RefusedError } from '../../../core/access/allowance.ts';
import { anywhere, openAuthenticator } from './authenticator-fixture.ts';

const DAY = 86_400_000;

test('a FREE token with a used-up daily quota is refused with the error QUOTA_1 until 24 hours have passed', async t => {
  const { authenticator, token, use, clock } = await openAuthenticator(t);
  const { id, credentials } = await token();
  use(id, FREE_DAY_QUOTA);
  await assert.rejects(authenticator.admit(credentials, anywhere), (error: RefusedError) => {
    assert.ok(error instanceof RefusedError);
    assert.equal(error.code, 'QUOTA_1');
    assert.deepEqual(error.details, {
      retryAfterSeconds: 86_400,
      facts: { quota: '1440', used: '1440' },
      quotaSubject: `token:${id}`,
    });
    assert.deepEqual(error.allowances, [
      { policy: 'day', limit: 1440, remaining: 0, windowSeconds: 86_400, resetSeconds: 86_400 },
    ]);
    return true;
  });
  clock.at += DAY;
  await authenticator.admit(credentials, anywhere);
});

test('a PRO token has no daily quota', async t => {
  const { authenticator, token, use } = await openAuthenticator(t);
  const { id, credentials } = await token({ tier: 'PRO' });
  use(id, FREE_DAY_QUOTA + 10);
  const admission = await authenticator.admit(credentials, anywhere);
  admission.charge();
  assert.deepEqual(
    admission.allowances().map(({ policy }) => policy),
    ['burst'],
  );
});

test('a request that waited in the queue of the gateway is exempt from the limits per second, but uses daily quota', async t => {
  const { authenticator, token, quota } = await openAuthenticator(t, 1, 1);
  const { id, credentials } = await token();
  await authenticator.admit(credentials, anywhere);
  for (let i = 0; i < 3; i++) (await authenticator.admit(credentials, anywhere, true)).charge();
  assert.equal(quota.used(id), 3);
  await assert.rejects(authenticator.admit(credentials, anywhere), { code: 'RATE_1' });
});

test('charge() counts a request against the daily quota; admit() never does', async t => {
  const { authenticator, token, quota } = await openAuthenticator(t, 1);
  const { id, credentials } = await token({ allowIps: ['198.51.100.0/24'] });
  const inside = { address: '198.51.100.7', domain: '' };
  await assert.rejects(authenticator.admit(credentials, anywhere));
  const admission = await authenticator.admit(credentials, inside);
  await assert.rejects(authenticator.admit(credentials, inside), { code: 'RATE_1' });
  assert.equal(quota.used(id), 0);
  assert.equal(admission.allowances()[0]?.remaining, FREE_DAY_QUOTA);
  admission.charge();
  assert.equal(quota.used(id), 1);
  assert.equal(admission.allowances()[0]?.remaining, FREE_DAY_QUOTA - 1);
});

test('if 50 concurrent requests compete for the last request of a daily quota, exactly one succeeds', async t => {
  const { authenticator, token, use, quota } = await openAuthenticator(t);
  const { id, credentials } = await token();
  use(id, FREE_DAY_QUOTA - 1);
  const results = await Promise.allSettled(
    Array.from({ length: 50 }, async () => {
      const admission = await authenticator.admit(credentials, anywhere);
      admission.charge();
    }),
  );
  const refused = results.filter(result => result.status === 'rejected');
  assert.equal(refused.length, 49);
  for (const { reason } of refused) {
    assert.ok(reason instanceof RefusedError);
    assert.deepEqual([reason.code, reason.allowances[0]?.remaining], ['QUOTA_1', 0]);
  }
  assert.equal(quota.used(id), FREE_DAY_QUOTA);
});
