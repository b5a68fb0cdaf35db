import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FREE_DAY_QUOTA, RefusedError } from '../../../core/access/allowance.ts';
import type { Credentials } from '../../../core/access/token-index.ts';
import { anywhere, openAuthenticator } from './authenticator-fixture.ts';

test('the authenticator admits a caller with the right token, tier and e-mail, and ignores the letter case of the e-mail', async t => {
  const { authenticator, token } = await openAuthenticator(t);
  const { credentials, id } = await token();
  for (const email of ['ann@example.com', 'Ann@Example.COM']) {
    assert.equal((await authenticator.admit({ ...credentials, email }, anywhere)).token.id, id);
  }
});

test('a call without a token is refused with the error AUTH_1', async t => {
  const { authenticator } = await openAuthenticator(t);
  await assert.rejects(authenticator.admit({ token: '', tier: 'x', email: '' }, anywhere), {
    code: 'AUTH_1',
  });
});

test('a call whose tier is not exactly FREE or PRO is refused with the error AUTH_2', async t => {
  const { authenticator, token } = await openAuthenticator(t);
  const { credentials } = await token();
  for (const tier of ['', 'free', 'Free', 'FREE ', 'GOLD', '__proto__']) {
    await assert.rejects(authenticator.admit({ ...credentials, tier }, anywhere), { code: 'AUTH_2' }, tier);
  }
  await assert.rejects(authenticator.admit({ token: 'unknown', tier: 'free', email: '' }, anywhere), {
    code: 'AUTH_2',
  });
});

test('wrong, revoked and expired credentials get the same error AUTH_3, which does not reveal what is wrong', async t => {
  const { authenticator, token, tokenService, clock } = await openAuthenticator(t);
  const { credentials } = await token();
  const revoked = await token();
  await tokenService.revoke(revoked.id);
  const expired = await token({ expiresAt: clock.at + 1 });
  const replaced = await token();
  await tokenService.rotate(replaced.id, 1);
  const retired = await token();
  await tokenService.rotate(retired.id, 0);
  clock.at += 1;
  const messages = new Set<string>();
  for (const wrong of [
    { ...credentials, token: 'unknown' },
    { ...credentials, token: `${credentials.token} ` },
    { ...credentials, token: credentials.token.toUpperCase() },
    { ...credentials, tier: 'PRO' },
    { ...credentials, email: '' },
    { ...credentials, email: 'bob@example.com' },
    revoked.credentials,
    expired.credentials,
    replaced.credentials,
    retired.credentials,
  ]) {
    await assert.rejects(authenticator.admit(wrong, anywhere), (error: RefusedError) => {
      messages.add(error.message);
      return error.code === 'AUTH_3' && !(error instanceof RefusedError);
    });
  }
  assert.equal(messages.size, 1);
});

test('a caller outside the IP or domain allow-list of its token is refused with the error AUTH_4', async t => {
  const { authenticator, token } = await openAuthenticator(t);
  const byIp = await token({ allowIps: ['198.51.100.0/24'] });
  const byDomain = await token({ allowDomains: ['example.com'] });
  const byBoth = await token({ allowIps: ['198.51.100.0/24'], allowDomains: ['example.com'] });
  const inside = { address: '198.51.100.7', domain: 'www.example.com' };
  for (const { credentials } of [byIp, byDomain, byBoth]) await authenticator.admit(credentials, inside);
  const refused = (credentials: Credentials, address: string, domain: string, message: RegExp) =>
    assert.rejects(authenticator.admit(credentials, { address, domain }), { code: 'AUTH_4', message });
  await refused(byIp.credentials, '203.0.113.9', 'example.com', /IP allow-list/);
  await refused(byIp.credentials, '', '', /IP allow-list/);
  await refused(byDomain.credentials, '198.51.100.7', '', /domain allow-list/);
  await refused(byBoth.credentials, '203.0.113.9', 'example.com', /IP allow-list/);
  await refused(byBoth.credentials, '198.51.100.7', 'example.org', /domain allow-list/);
});

test('a call refused with AUTH_4 (caller not in the allow-list) uses no quota, and its error contains the remaining quota', async t => {
  const { authenticator, token } = await openAuthenticator(t, 3);
  const { credentials } = await token({ allowIps: ['198.51.100.0/24'] });
  for (let i = 0; i < 5; i++) {
    const refusal = await authenticator.admit(credentials, anywhere).catch((error: unknown) => error);
    assert.ok(refusal instanceof RefusedError && refusal.code === 'AUTH_4');
    assert.deepEqual(
      refusal.allowances.map(({ policy, remaining }) => [policy, remaining]),
      [
        ['day', 1440],
        ['burst', 3],
      ],
    );
  }
});

test('a call with several faults gets only the first error in the order AUTH_1, AUTH_2, AUTH_3, AUTH_4, QUOTA_1', async t => {
  const { authenticator, token, use, tokenService } = await openAuthenticator(t, 1);
  const { id, credentials } = await token({ allowIps: ['198.51.100.0/24'] });
  const inside = { address: '198.51.100.7', domain: '' };
  await authenticator.admit(credentials, inside);
  use(id, FREE_DAY_QUOTA);
  const told = async (change: Partial<Credentials>, caller: typeof inside, code: string): Promise<void> => {
    await assert.rejects(authenticator.admit({ ...credentials, ...change }, caller), { code });
  };
  await told({ token: '', tier: 'free', email: 'x' }, anywhere, 'AUTH_1');
  await told({ token: 'x', tier: 'free', email: 'x' }, anywhere, 'AUTH_2');
  await told({ email: 'x' }, anywhere, 'AUTH_3');
  await told({}, anywhere, 'AUTH_4');
  await told({}, inside, 'QUOTA_1');
  await tokenService.revoke(id);
  await told({}, inside, 'AUTH_3');
});

test('the last-use time of a token is the time of its last admitted call; refused calls do not change it', async t => {
  const { authenticator, token, lastUse, clock } = await openAuthenticator(t, 1);
  const { id, credentials } = await token({ allowIps: ['198.51.100.0/24'] });
  await assert.rejects(authenticator.admit(credentials, anywhere), { code: 'AUTH_4' });
  await assert.rejects(authenticator.admit({ ...credentials, email: 'x' }, anywhere), { code: 'AUTH_3' });
  assert.equal(lastUse.at(id), 0);
  const start = clock.at;
  await authenticator.admit(credentials, { address: '198.51.100.7', domain: '' });
  clock.at += 5000;
  await assert.rejects(authenticator.admit(credentials, { address: '198.51.100.7', domain: '' }), {
    code: 'RATE_1',
  });
  assert.equal(lastUse.at(id), start);
});
