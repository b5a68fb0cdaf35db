import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { isLive } from '../../../core/access/token.ts';
import { TokenOffice, type TokenWish } from '../../../core/access/token-office.ts';
import { Tokens } from '../../../core/access/tokens.ts';
import { Level } from '../../../core/store/level.ts';
import { scratchDirectory } from '../../system/scratch-directory.ts';
import { clockAt } from '../clock.ts';
import { openLevel } from '../scratch-level.ts';

const wish: TokenWish = {
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
  const level = await openLevel(t, directory);
  const tokens = await Tokens.load(level);
  return {
    clock,
    level,
    tokens,
    office: new TokenOffice(tokens, clock.now),
    async restart(): Promise<{ tokens: Tokens; office: TokenOffice; stored: string }> {
      await level.close();
      const again = await openLevel(t, directory);
      let stored = '';
      for await (const [key, value] of again.entries('')) stored += `${key} ${value}\n`;
      const found = await Tokens.load(again);
      return { tokens: found, office: new TokenOffice(found, clock.now), stored };
    },
  };
}

test('a token is made, found by its secret alone, and there after a restart; its secret is stored nowhere', async t => {
  const { office, tokens, clock, restart } = await opened(t);
  const lists = { allowIps: ['10.0.0.0/8'], allowDomains: ['Example.COM'] };
  const { secret, token } = await office.create({ ...wish, ...lists, expiresAt: clock.at + 1 });
  assert.match(secret, /^gsq_[\w-]{32}$/);
  assert.match(token.id, /^tok_[0-9a-f]{12}$/);
  assert.deepEqual(token, {
    id: token.id,
    hash: token.hash,
    tier: 'FREE',
    email: 'ann@example.com',
    createdAt: clock.at,
    expiresAt: clock.at + 1,
    revokedAt: 0,
    allowIps: ['10.0.0.0/8'],
    allowDomains: ['example.com'],
  });
  assert.equal(tokens.findBySecret(secret), token);
  for (const text of [token.id, token.hash, '', secret.slice(1)])
    assert.equal(tokens.findBySecret(text), undefined);
  const found = await restart();
  assert.deepEqual(found.tokens.findBySecret(secret), token);
  assert.ok(found.stored.includes(token.id) && !found.stored.includes(secret));
});

test('no two tokens share secret or id', async t => {
  const { office } = await opened(t);
  const made = await Promise.all(Array.from({ length: 20 }, () => office.create(wish)));
  assert.equal(new Set(made.map(({ secret }) => secret)).size, 20);
  assert.equal(new Set(made.map(({ token }) => token.id)).size, 20);
  assert.equal(office.list().length, 20);
});

const longList = Array<string>(101).fill('10.0.0.1');
const faults: [what: string, change: Partial<TokenWish>, message: RegExp][] = [
  ['a tier in small letters', { tier: 'free' }, /^"free" is no tier; write FREE or PRO$/],
  ['no tier', { tier: '' }, /is no tier/],
  ['no e-mail', { email: '' }, /is no e-mail address/],
  ['an e-mail without @', { email: 'ann' }, /"ann" is no e-mail/],
  ['an e-mail with a space', { email: 'a b@c' }, /is no e-mail/],
  ['an e-mail of 300 characters', { email: `a@${'b'.repeat(300)}` }, /is no e-mail/],
  ['an expiry in the past', { expiresAt: 1 }, /the expiry lies in the past/],
  [
    'an IP range that is none',
    { allowIps: ['10.0.0.0/8', '10.0.0.0/99'] },
    /^"10.0.0.0\/99" is no IP address/,
  ],
  [
    'a domain that is none',
    { allowDomains: ['https://example.com'] },
    /"https:\/\/example.com" is no domain/,
  ],
  ['too many IP ranges', { allowIps: longList }, /at most 100/],
  ['too many domains', { allowDomains: longList }, /at most 100/],
];
for (const [what, change, message] of faults) {
  test(`a wish with ${what} is refused as ADMIN_1 and makes nothing`, async t => {
    const { office } = await opened(t);
    await assert.rejects(office.create({ ...wish, ...change }), {
      name: 'ServiceError',
      code: 'ADMIN_1',
      message,
    });
    assert.equal(office.list().length, 0);
  });
}

test('a secret an operator chooses has 16 characters at least and can travel in a header', async t => {
  const { office } = await opened(t);
  for (const secret of [
    'x'.repeat(15),
    'x'.repeat(513),
    `${'x'.repeat(16)} `,
    `${'x'.repeat(16)}\n`,
    'ü'.repeat(16),
  ]) {
    await assert.rejects(office.create(wish, secret), {
      code: 'ADMIN_1',
      message: /16 to 512 printable ASCII/,
    });
  }
  await office.create(wish, 'x'.repeat(16));
  await assert.rejects(office.create({ ...wish, email: 'jürgen@example.com' }), { code: 'ADMIN_1' });
});

test('bootstrap makes its token once, over restarts too', async t => {
  const { office, tokens, restart } = await opened(t);
  await office.bootstrap(SECRET, wish);
  const token = tokens.findBySecret(SECRET);
  await office.bootstrap(SECRET, wish);
  await office.bootstrap(SECRET, { ...wish, tier: 'PRO' });
  assert.equal(office.list().length, 1);
  assert.equal(tokens.findBySecret(SECRET), token);
  const found = await restart();
  await found.office.bootstrap(SECRET, wish);
  assert.equal(found.office.list().length, 1);
});

test('a bootstrap token that was revoked stays so', async t => {
  const { office, tokens, clock } = await opened(t);
  await office.bootstrap(SECRET, wish);
  await office.revoke(tokens.findBySecret(SECRET)?.id ?? '');
  await office.bootstrap(SECRET, wish);
  assert.deepEqual(
    office.list().map(token => token.revokedAt),
    [clock.at],
  );
});

test('revoking lasts, keeps its first time, and names a token that is not there', async t => {
  const { office, clock, restart } = await opened(t);
  const { token, secret } = await office.create(wish);
  const revoked = await office.revoke(token.id);
  assert.equal(revoked.revokedAt, clock.at);
  clock.at += 1000;
  assert.equal(await office.revoke(token.id), revoked);
  await assert.rejects(office.revoke('tok_none'), {
    code: 'ADMIN_2',
    message: /there is no token "tok_none"/,
  });
  const found = await restart();
  assert.deepEqual(found.tokens.findBySecret(secret), revoked);
});

test('tokens are listed in order of creation', async t => {
  const { office, clock } = await opened(t);
  const made: string[] = [];
  for (let i = 0; i < 5; i++) {
    clock.at += 1;
    made.push((await office.create(wish)).token.id);
  }
  assert.deepEqual(
    office.list().map(({ id }) => id),
    made,
  );
});

test('a token lives until it expires or is revoked', async t => {
  const { office, clock } = await opened(t);
  const { token } = await office.create({ ...wish, expiresAt: clock.at + 10 });
  assert.deepEqual(
    [0, 9, 10].map(ms => isLive(token, clock.at + ms)),
    [true, true, false],
  );
  assert.equal(isLive({ ...token, revokedAt: clock.at }, clock.at), false);
  assert.equal(isLive({ ...token, expiresAt: 0 }, clock.at + 1e12), true);
});

test('a token that could not be stored does not count', async () => {
  const level = await Level.open(scratchDirectory(), () => {});
  const tokens = await Tokens.load(level);
  const office = new TokenOffice(tokens, clockAt().now);
  await level.close();
  await assert.rejects(office.create(wish, SECRET), /takes no more/);
  assert.deepEqual([office.list().length, tokens.findBySecret(SECRET)], [0, undefined]);
});
