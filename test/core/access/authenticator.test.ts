import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { FREE_DAY_QUOTA, RefusedError } from '../../../core/access/allowance.ts';
import { Authenticator } from '../../../core/access/authenticator.ts';
import type { Caller } from '../../../core/access/caller.ts';
import { DayQuota } from '../../../core/access/day-quota.ts';
import { LastUse } from '../../../core/access/last-use.ts';
import type { Credentials } from '../../../core/access/token-index.ts';
import { type TokenRequest, TokenService } from '../../../core/access/token-service.ts';
import { Tokens } from '../../../core/access/tokens.ts';
import { scratchDirectory } from '../../system/scratch-directory.ts';
import { type Clock, clockAt } from '../clock.ts';
import { scratchEngine } from '../scratch-store.ts';

const DAY = 86_400_000;
const wish: TokenRequest = {
  tier: 'FREE',
  email: 'ann@example.com',
  expiresAt: 0,
  allowIps: [],
  allowDomains: [],
};
const anywhere = { address: '203.0.113.9', domain: '' };

interface Opened {
  clock: Clock;
  authenticator: Authenticator;
  quota: DayQuota;
  lastUse: LastUse;
  tokenService: TokenService;
  /** Creates a token. Returns its id and its credentials. */
  token(change?: Partial<TokenRequest>): Promise<{ id: string; credentials: Credentials }>;
  /** Charges `times` requests to a token. */
  use(id: string, times: number): void;
}

async function opened(t: TestContext, burstLimit = 10_000, addressLimit = 0): Promise<Opened> {
  const clock = clockAt();
  let quota: DayQuota | undefined;
  let lastUse: LastUse | undefined;
  // Registered before the store is opened, so this hook runs before the hook that closes the store.
  t.after(() => {
    quota?.close();
    lastUse?.close();
  });
  const engine = await scratchEngine(t);
  const tokens = await Tokens.load(engine, scratchDirectory());
  quota = await DayQuota.load(engine, clock.now);
  lastUse = await LastUse.load(engine, clock.now);
  const tokenService = new TokenService(tokens, clock.now);
  return {
    clock,
    quota,
    lastUse,
    tokenService,
    authenticator: new Authenticator(tokens, quota, lastUse, burstLimit, clock.now, addressLimit),
    async token(change = {}) {
      const { secret, token } = await tokenService.create({ ...wish, ...change });
      return { id: token.id, credentials: { token: secret, tier: token.tier, email: token.email } };
    },
    use(id, times) {
      for (let i = 0; i < times; i++) quota?.charge(id);
    },
  };
}

test('the authenticator admits matching credentials, with the e-mail in any letter case', async t => {
  const { authenticator, token } = await opened(t);
  const { credentials, id } = await token();
  for (const email of ['ann@example.com', 'Ann@Example.COM']) {
    assert.equal((await authenticator.admit({ ...credentials, email }, anywhere)).token.id, id);
  }
});

test('a call without a token is refused with the error AUTH_1', async t => {
  const { authenticator } = await opened(t);
  await assert.rejects(authenticator.admit({ token: '', tier: 'x', email: '' }, anywhere), {
    code: 'AUTH_1',
  });
});

test('a call whose tier is not exactly FREE or PRO is refused with the error AUTH_2', async t => {
  const { authenticator, token } = await opened(t);
  const { credentials } = await token();
  for (const tier of ['', 'free', 'Free', 'FREE ', 'GOLD', '__proto__']) {
    await assert.rejects(authenticator.admit({ ...credentials, tier }, anywhere), { code: 'AUTH_2' }, tier);
  }
  await assert.rejects(authenticator.admit({ token: 'unknown', tier: 'free', email: '' }, anywhere), {
    code: 'AUTH_2',
  });
});

test('wrong, revoked and expired credentials all get the same AUTH_3 error, which does not reveal the wrong part', async t => {
  const { authenticator, token, tokenService, clock } = await opened(t);
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
  const { authenticator, token } = await opened(t);
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

test('an AUTH_4 error contains the remaining allowances of the token, and the refused call uses none of them', async t => {
  const { authenticator, token } = await opened(t, 3);
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

test('a FREE token with a used-up daily quota is refused with the error QUOTA_1 until the 24 hours are over', async t => {
  const { authenticator, token, use, clock } = await opened(t);
  const { id, credentials } = await token();
  use(id, FREE_DAY_QUOTA);
  await assert.rejects(authenticator.admit(credentials, anywhere), (error: RefusedError) => {
    assert.ok(error instanceof RefusedError);
    assert.equal(error.code, 'QUOTA_1');
    assert.deepEqual(error.details, { retryAfterSeconds: 86_400, facts: { quota: '1440', used: '1440' } });
    assert.deepEqual(error.allowances, [
      { policy: 'day', limit: 1440, remaining: 0, windowSeconds: 86_400, resetSeconds: 86_400 },
    ]);
    return true;
  });
  clock.at += DAY;
  await authenticator.admit(credentials, anywhere);
});

test('a PRO token has no daily quota', async t => {
  const { authenticator, token, use } = await opened(t);
  const { id, credentials } = await token({ tier: 'PRO' });
  use(id, FREE_DAY_QUOTA + 10);
  const admission = await authenticator.admit(credentials, anywhere);
  admission.charge();
  assert.deepEqual(
    admission.allowances().map(({ policy }) => policy),
    ['burst'],
  );
});

test('requests of a token beyond its limit per second are refused with the error RATE_1; other tokens are not affected', async t => {
  const { authenticator, token } = await opened(t, 3);
  const { credentials } = await token();
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
  assert.equal(last.reason.details.retryAfterSeconds, 1);
  assert.deepEqual(
    last.reason.allowances.map(({ policy, limit, remaining }) => [policy, limit, remaining]),
    [
      ['burst', 3, 0],
      ['day', 1440, 1440],
    ],
  );
  await authenticator.admit(other.credentials, anywhere);
});

test('a call with several faults gets the error that comes first in the order of the contract', async t => {
  const { authenticator, token, use, tokenService } = await opened(t, 1);
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

test('a request that the gateway queued does not count towards the limits per second, but uses daily quota', async t => {
  const { authenticator, token, quota } = await opened(t, 1, 1);
  const { id, credentials } = await token();
  await authenticator.admit(credentials, anywhere);
  for (let i = 0; i < 3; i++) (await authenticator.admit(credentials, anywhere, true)).charge();
  assert.equal(quota.used(id), 3);
  await assert.rejects(authenticator.admit(credentials, anywhere), { code: 'RATE_1' });
});

test('only charge() uses daily quota; an admission or a refusal alone uses none', async t => {
  const { authenticator, token, quota } = await opened(t, 1);
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
  const { authenticator, token, use, quota } = await opened(t);
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

test('the last use of a token is the time of its last admitted call; refused calls do not count', async t => {
  const { authenticator, token, lastUse, clock } = await opened(t, 1);
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

test('the limit per second of an IP address counts all tokens, and does not apply to loopback or proxy addresses', async t => {
  const { authenticator, token } = await opened(t, 100, 3);
  const [one, other] = [await token(), await token()];
  const admit = (caller: Caller, { credentials } = one) => authenticator.admit(credentials, caller);
  const tokenService: Caller = { address: '203.0.113.9', domain: '' };
  await admit(tokenService);
  await admit(tokenService, other);
  await admit(tokenService);
  await assert.rejects(admit(tokenService, other), (error: RefusedError) => {
    assert.deepEqual([error.code, error.details.retryAfterSeconds], ['RATE_1', 1]);
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

test('an address limit of 0 turns off the rate limit of IP addresses', async t => {
  const { authenticator, token } = await opened(t, 100, 0);
  const { credentials } = await token();
  for (let i = 0; i < 100; i++) await authenticator.admit(credentials, anywhere);
});
