import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { isLive } from '../../../core/access/token.ts';
import { type TokenRequest, TokenService } from '../../../core/access/token-service.ts';
import { Tokens } from '../../../core/access/tokens.ts';
import { LevelDbStore } from '../../../core/store/leveldb/leveldb-store.ts';
import { isWholeSecret } from '../../../proto/token-secret.ts';
import { scratchDirectory } from '../../system/scratch-directory.ts';
import { clockAt } from '../clock.ts';
import { openEngine } from '../scratch-store.ts';

const wish: TokenRequest = {
  tier: 'FREE',
  email: 'Ann@Example.com',
  expiresAt: 0,
  allowIps: [],
  allowDomains: [],
};
const SECRET = 'a secret of sixteen or more';

async function opened(t: TestContext) {
  const directory = scratchDirectory();
  const clock = clockAt();
  const engine = await openEngine(t, directory);
  const tokens = await Tokens.load(engine, directory);
  return {
    clock,
    directory,
    engine,
    tokens,
    tokenService: new TokenService(tokens, clock.now),
    async restart(): Promise<{ tokens: Tokens; tokenService: TokenService; stored: string }> {
      await engine.close();
      const again = await openEngine(t, directory);
      let stored = '';
      for await (const [key, value] of again.entries('')) stored += `${key} ${value}\n`;
      const found = await Tokens.load(again, directory);
      return { tokens: found, tokenService: new TokenService(found, clock.now), stored };
    },
  };
}

test('a token can be found by its secret, even after a restart, and the store does not contain the secret', async t => {
  const { tokenService, tokens, clock, restart } = await opened(t);
  const lists = { allowIps: ['10.0.0.0/8'], allowDomains: ['Example.COM'] };
  const { secret, token } = await tokenService.create({ ...wish, ...lists, expiresAt: clock.at + 1 });
  assert.ok(isWholeSecret(secret), secret);
  assert.match(token.id, /^tok_[0-9a-f]{12}$/);
  assert.deepEqual(token, {
    id: token.id,
    secrets: [{ hash: token.secrets[0]?.hash, until: 0 }],
    tier: 'FREE',
    email: 'ann@example.com',
    createdAt: clock.at,
    expiresAt: clock.at + 1,
    revokedAt: 0,
    allowIps: ['10.0.0.0/8'],
    allowDomains: ['example.com'],
  });
  assert.equal(tokens.findBySecret(secret), token);
  for (const text of [token.id, token.secrets[0]?.hash ?? '', '', secret.slice(1)])
    assert.equal(tokens.findBySecret(text), undefined);
  const found = await restart();
  assert.deepEqual(found.tokens.findBySecret(secret), token);
  assert.ok(found.stored.includes(token.id) && !found.stored.includes(secret));
});

test('every new token gets a secret and an id that no other token has', async t => {
  const { tokenService } = await opened(t);
  const made = await Promise.all(Array.from({ length: 20 }, () => tokenService.create(wish)));
  assert.equal(new Set(made.map(({ secret }) => secret)).size, 20);
  assert.equal(new Set(made.map(({ token }) => token.id)).size, 20);
  assert.equal(tokenService.list().length, 20);
});

const longList = Array<string>(101).fill('10.0.0.1');
const faults: [what: string, change: Partial<TokenRequest>, message: RegExp][] = [
  ['a tier in lower case', { tier: 'free' }, /^"free" is no tier; write FREE or PRO$/],
  ['no tier', { tier: '' }, /is no tier/],
  ['no e-mail', { email: '' }, /is no e-mail address/],
  ['an e-mail without @', { email: 'ann' }, /"ann" is no e-mail/],
  ['an e-mail with a space', { email: 'a b@c' }, /is no e-mail/],
  ['an e-mail of 300 characters', { email: `a@${'b'.repeat(300)}` }, /is no e-mail/],
  ['an expiry in the past', { expiresAt: 1 }, /the expiry lies in the past/],
  [
    'a malformed IP range',
    { allowIps: ['10.0.0.0/8', '10.0.0.0/99'] },
    /^"10.0.0.0\/99" is no IP address/,
  ],
  [
    'a URL instead of a domain',
    { allowDomains: ['https://example.com'] },
    /"https:\/\/example.com" is no domain/,
  ],
  ['more than 100 IP ranges', { allowIps: longList }, /at most 100/],
  ['more than 100 domains', { allowDomains: longList }, /at most 100/],
];
for (const [what, change, message] of faults) {
  test(`a request for a token with ${what} is refused with the error ADMIN_1, and no token is created`, async t => {
    const { tokenService } = await opened(t);
    await assert.rejects(tokenService.create({ ...wish, ...change }), {
      name: 'ServiceError',
      code: 'ADMIN_1',
      message,
    });
    assert.equal(tokenService.list().length, 0);
  });
}

test('a secret that an operator chooses must have 16 to 512 printable ASCII characters and no space at its end', async t => {
  const { tokenService } = await opened(t);
  for (const secret of [
    'x'.repeat(15),
    'x'.repeat(513),
    `${'x'.repeat(16)} `,
    `${'x'.repeat(16)}\n`,
    'ü'.repeat(16),
  ]) {
    await assert.rejects(tokenService.create(wish, secret), {
      code: 'ADMIN_1',
      message: /16 to 512 printable ASCII/,
    });
  }
  await tokenService.create(wish, 'x'.repeat(16));
  await assert.rejects(tokenService.create({ ...wish, email: 'jürgen@example.com' }), { code: 'ADMIN_1' });
});

test('the token of GSQ_BOOTSTRAP_TOKEN is created only once, even if the core restarts', async t => {
  const { tokenService, tokens, restart } = await opened(t);
  await tokenService.bootstrap(SECRET, wish);
  const token = tokens.findBySecret(SECRET);
  await tokenService.bootstrap(SECRET, wish);
  await tokenService.bootstrap(SECRET, { ...wish, tier: 'PRO' });
  assert.equal(tokenService.list().length, 1);
  assert.equal(tokens.findBySecret(SECRET), token);
  const found = await restart();
  await found.tokenService.bootstrap(SECRET, wish);
  assert.equal(found.tokenService.list().length, 1);
});

test('a revoked token of GSQ_BOOTSTRAP_TOKEN stays revoked at the next start with the same setting', async t => {
  const { tokenService, tokens, clock } = await opened(t);
  await tokenService.bootstrap(SECRET, wish);
  await tokenService.revoke(tokens.findBySecret(SECRET)?.id ?? '');
  await tokenService.bootstrap(SECRET, wish);
  assert.deepEqual(
    tokenService.list().map(token => token.revokedAt),
    [clock.at],
  );
});

test('a revoked token stays revoked after a restart; a second revocation changes nothing; an unknown id is an error', async t => {
  const { tokenService, clock, restart } = await opened(t);
  const { token, secret } = await tokenService.create(wish);
  const revoked = await tokenService.revoke(token.id);
  assert.equal(revoked.revokedAt, clock.at);
  clock.at += 1000;
  assert.equal(await tokenService.revoke(token.id), revoked);
  await assert.rejects(tokenService.revoke('tok_none'), {
    code: 'ADMIN_2',
    message: /there is no token "tok_none"/,
  });
  const found = await restart();
  assert.deepEqual(found.tokens.findBySecret(secret), revoked);
});

test('tokens are listed in order of creation', async t => {
  const { tokenService, clock } = await opened(t);
  const made: string[] = [];
  for (let i = 0; i < 5; i++) {
    clock.at += 1;
    made.push((await tokenService.create(wish)).token.id);
  }
  assert.deepEqual(
    tokenService.list().map(({ id }) => id),
    made,
  );
});

test('a token is valid until it expires or is revoked', async t => {
  const { tokenService, clock } = await opened(t);
  const { token } = await tokenService.create({ ...wish, expiresAt: clock.at + 10 });
  assert.deepEqual(
    [0, 9, 10].map(ms => isLive(token, clock.at + ms)),
    [true, true, false],
  );
  assert.equal(isLive({ ...token, revokedAt: clock.at }, clock.at), false);
  assert.equal(isLive({ ...token, expiresAt: 0 }, clock.at + 1e12), true);
});

test('a token that could not be stored is not valid', async () => {
  const engine = await LevelDbStore.open(scratchDirectory(), () => {});
  const tokens = await Tokens.load(engine, scratchDirectory());
  const tokenService = new TokenService(tokens, clockAt().now);
  await engine.close();
  await assert.rejects(tokenService.create(wish, SECRET), /takes no more/);
  assert.deepEqual([tokenService.list().length, tokens.findBySecret(SECRET)], [0, undefined]);
});

const DAY = 86_400_000;
/** Returns true if a caller with this secret would be admitted at the time `now` (Unix ms). */
const fits = (tokens: Tokens, secret: string, now: number): boolean =>
  tokens.verify({ token: secret, tier: 'FREE', email: 'ann@example.com' }, now) !== undefined;

test('after a rotation the new secret is valid immediately, and the old secret until its grace period ends, even after a restart', async t => {
  const { tokenService, tokens, clock, restart } = await opened(t);
  const { secret: old, token } = await tokenService.create({ ...wish, allowIps: ['10.0.0.0/8'] });
  const { secret, token: after } = await tokenService.rotate(token.id);
  assert.ok(isWholeSecret(secret));
  assert.notEqual(secret, old);
  assert.deepEqual({ ...after, secrets: [] }, { ...token, secrets: [] }, 'all else stays');
  const end = clock.at + 7 * DAY;
  assert.deepEqual([fits(tokens, secret, end - 1), fits(tokens, old, end - 1)], [true, true]);
  assert.deepEqual([fits(tokens, secret, end), fits(tokens, old, end)], [true, false]);
  const found = await restart();
  assert.deepEqual([fits(found.tokens, secret, end - 1), fits(found.tokens, old, end - 1)], [true, true]);
  assert.deepEqual([fits(found.tokens, secret, end), fits(found.tokens, old, end)], [true, false]);
  assert.ok(!found.stored.includes(secret) && !found.stored.includes(old));
});

test('a rotation without a grace period makes the old secret invalid immediately', async t => {
  const { tokenService, tokens, clock } = await opened(t);
  const { secret: old, token } = await tokenService.create(wish);
  const { secret } = await tokenService.rotate(token.id, 0);
  assert.deepEqual([fits(tokens, secret, clock.at), fits(tokens, old, clock.at)], [true, false]);
});

test('a token never has more than two valid secrets, even after many rotations', async t => {
  const { tokenService, tokens, clock, restart } = await opened(t);
  const { secret, token } = await tokenService.create(wish);
  const secrets = [secret];
  for (let i = 0; i < 5; i++) {
    clock.at += 1;
    secrets.push((await tokenService.rotate(token.id, 365 * DAY)).secret);
    const live = secrets.map(each => fits(tokens, each, clock.at));
    assert.deepEqual(live, [...Array<boolean>(i).fill(false), true, true]);
  }
  assert.equal(tokenService.get(token.id).secrets.length, 3, 'what is kept does not grow');
  const found = await restart();
  assert.deepEqual(
    secrets.map(each => fits(found.tokens, each, clock.at)),
    [false, false, false, false, true, true],
  );
});

test('the secret of GSQ_BOOTSTRAP_TOKEN stays invalid after rotations have replaced it, even after a restart', async t => {
  const { tokenService, tokens, clock, restart } = await opened(t);
  await tokenService.bootstrap(SECRET, wish);
  const id = tokens.findBySecret(SECRET)?.id ?? '';
  for (let i = 0; i < 4; i++) await tokenService.rotate(id, 0);
  await tokenService.bootstrap(SECRET, wish);
  const found = await restart();
  await found.tokenService.bootstrap(SECRET, wish);
  assert.equal(found.tokenService.list().length, 1);
  assert.equal(fits(found.tokens, SECRET, clock.at), false);
});

test('a rotation is refused if the token is unknown or revoked, or if the grace period is not 0 to 365 days', async t => {
  const { tokenService, tokens, clock } = await opened(t);
  const { token, secret } = await tokenService.create(wish);
  for (const grace of [-1, 365 * DAY + 1, Number.NaN]) {
    await assert.rejects(tokenService.rotate(token.id, grace), { code: 'ADMIN_1', message: /0 to 365 days/ });
  }
  assert.ok(fits(tokens, secret, clock.at), 'a refused rotation changes nothing');
  await assert.rejects(tokenService.rotate('tok_none'), { code: 'ADMIN_2' });
  await tokenService.revoke(token.id);
  await assert.rejects(tokenService.rotate(token.id), { code: 'ADMIN_1', message: /revoked for good/ });
  assert.equal(fits(tokens, secret, clock.at), false);
});

test('a revocation makes every secret of the token invalid, and concurrent changes do not undo the revocation', async t => {
  const { tokenService, tokens, clock } = await opened(t);
  const { token, secret } = await tokenService.create(wish);
  const [rotated, revoked] = await Promise.all([
    tokenService.rotate(token.id),
    tokenService.revoke(token.id),
    tokenService.allow(token.id, { ips: ['10.0.0.1'] }),
  ]);
  assert.equal(revoked.revokedAt, clock.at);
  assert.deepEqual(
    [tokenService.get(token.id).revokedAt, tokenService.get(token.id).allowIps],
    [clock.at, ['10.0.0.1']],
  );
  for (const each of [secret, rotated.secret]) assert.equal(fits(tokens, each, clock.at), false);
});

test('the IP and the domain allow-list of a token can be changed separately, and the changes are durable', async t => {
  const { tokenService, restart } = await opened(t);
  const { token } = await tokenService.create({ ...wish, allowIps: ['10.0.0.0/8'] });
  const lists = async (change: Parameters<TokenService['allow']>[1]) => {
    const { allowIps, allowDomains } = await tokenService.allow(token.id, change);
    return [allowIps, allowDomains];
  };
  assert.deepEqual(await lists({ domains: ['Example.COM'] }), [['10.0.0.0/8'], ['example.com']]);
  assert.deepEqual(await lists({ ips: ['::1', '192.0.2.0/24'] }), [['::1', '192.0.2.0/24'], ['example.com']]);
  assert.deepEqual(await lists({ ips: [], domains: [] }), [[], []]);
  assert.deepEqual(await lists({ ips: ['192.0.2.1'] }), [['192.0.2.1'], []]);
  assert.deepEqual((await restart()).tokenService.get(token.id).allowIps, ['192.0.2.1']);
});

test('an invalid allow-list is refused, and the token keeps its old allow-lists', async t => {
  const { tokenService } = await opened(t);
  const { token } = await tokenService.create(wish);
  for (const [change, message] of [
    [{ ips: ['10.0.0.0/99'] }, /is no IP address/],
    [{ ips: ['10.0.0.1'], domains: ['a b'] }, /is no domain/],
    [{ ips: longList }, /at most 100/],
  ] as const) {
    await assert.rejects(tokenService.allow(token.id, change), { code: 'ADMIN_1', message });
  }
  assert.deepEqual(tokenService.get(token.id), token);
  await assert.rejects(tokenService.allow('tok_none', {}), { code: 'ADMIN_2' });
});

test('an error message does not repeat a secret that the caller sent instead of a token id', async t => {
  const { tokenService } = await opened(t);
  const { secret } = await tokenService.create(wish);
  for (const call of [
    tokenService.revoke(secret),
    tokenService.rotate(secret),
    tokenService.allow(secret, {}),
  ]) {
    await assert.rejects(
      call,
      (error: Error) => !error.message.includes(secret) && /starts with tok_/.test(error.message),
    );
  }
});

test('a new expiry time is durable, makes an expired token valid again, and is refused for a revoked token', async t => {
  const { tokenService, tokens, clock, restart } = await opened(t);
  const { secret, token } = await tokenService.create({ ...wish, expiresAt: clock.at + 10 });
  clock.at += 10;
  assert.equal(fits(tokens, secret, clock.at), false);
  await tokenService.expire(token.id, clock.at + 10);
  assert.equal(fits(tokens, secret, clock.at), true);
  await tokenService.expire(token.id, clock.at + 1);
  assert.equal(fits(tokens, secret, clock.at + 1), false);
  await tokenService.expire(token.id, 0);
  assert.equal(fits(tokens, secret, clock.at + 1e12), true);
  for (const past of [clock.at, 1, -1])
    await assert.rejects(tokenService.expire(token.id, past), { code: 'ADMIN_1' });
  await assert.rejects(tokenService.expire('tok_none', 0), { code: 'ADMIN_2' });
  await tokenService.expire(token.id, clock.at + 77);
  const again = await restart();
  assert.equal(again.tokenService.get(token.id).expiresAt, clock.at + 77);
  await again.tokenService.revoke(token.id);
  await assert.rejects(again.tokenService.expire(token.id, 0), {
    code: 'ADMIN_1',
    message: /revoked for good/,
  });
});
