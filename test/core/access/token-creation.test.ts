import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type TokenRequest, TokenService } from '../../../core/access/token-service.ts';
import { Tokens } from '../../../core/access/tokens.ts';
import { LevelDbStore } from '../../../core/store/leveldb/leveldb-store.ts';
import { isWholeSecret } from '../../../proto/token-secret.ts';
import { scratchDirectory } from '../../system/scratch-directory.ts';
import { clockAt } from '../clock.ts';
import { freeToken, longList, openTokens, SECRET } from './token-fixture.ts';

test('a token can be found by its secret, even after a restart, and the store does not contain the secret', async t => {
  const { tokenService, tokens, clock, restart } = await openTokens(t);
  const lists = { allowIps: ['10.0.0.0/8'], allowDomains: ['Example.COM'] };
  const { secret, token } = await tokenService.create({ ...freeToken, ...lists, expiresAt: clock.at + 1 });
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
  const { tokenService } = await openTokens(t);
  const made = await Promise.all(Array.from({ length: 20 }, () => tokenService.create(freeToken)));
  assert.equal(new Set(made.map(({ secret }) => secret)).size, 20);
  assert.equal(new Set(made.map(({ token }) => token.id)).size, 20);
  assert.equal(tokenService.list().length, 20);
});

const faults: [what: string, change: Partial<TokenRequest>, message: RegExp][] = [
  ['a tier in lower case', { tier: 'free' }, /^"free" is not a tier; write FREE or PRO$/],
  ['no tier', { tier: '' }, /is not a tier/],
  ['no e-mail', { email: '' }, /is not an e-mail address/],
  ['an e-mail without @', { email: 'ann' }, /"ann" is not an e-mail/],
  ['an e-mail with a space', { email: 'a b@c' }, /is not an e-mail/],
  ['an e-mail of 300 characters', { email: `a@${'b'.repeat(300)}` }, /is not an e-mail/],
  ['an expiry in the past', { expiresAt: 1 }, /the expiry lies in the past/],
  [
    'a malformed IP range',
    { allowIps: ['10.0.0.0/8', '10.0.0.0/99'] },
    /^"10.0.0.0\/99" is not an IP address/,
  ],
  [
    'a URL instead of a domain',
    { allowDomains: ['https://example.com'] },
    /"https:\/\/example.com" is not a domain/,
  ],
  ['more than 100 IP ranges', { allowIps: longList }, /at most 100/],
  ['more than 100 domains', { allowDomains: longList }, /at most 100/],
];
for (const [what, change, message] of faults) {
  test(`a request to create a token with ${what} is refused with the error ADMIN_1, and creates no token`, async t => {
    const { tokenService } = await openTokens(t);
    await assert.rejects(tokenService.create({ ...freeToken, ...change }), {
      name: 'ServiceError',
      code: 'ADMIN_1',
      message,
    });
    assert.equal(tokenService.list().length, 0);
  });
}

test('a secret that an operator chooses must have 16 to 512 printable ASCII characters and no space at its end', async t => {
  const { tokenService } = await openTokens(t);
  for (const secret of [
    'x'.repeat(15),
    'x'.repeat(513),
    `${'x'.repeat(16)} `,
    `${'x'.repeat(16)}\n`,
    'ü'.repeat(16),
  ]) {
    await assert.rejects(tokenService.create(freeToken, secret), {
      code: 'ADMIN_1',
      message: /16 to 512 printable ASCII/,
    });
  }
  await tokenService.create(freeToken, 'x'.repeat(16));
  await assert.rejects(tokenService.create({ ...freeToken, email: 'jürgen@example.com' }), {
    code: 'ADMIN_1',
  });
});

test('tokens are listed in order of creation', async t => {
  const { tokenService, clock } = await openTokens(t);
  const made: string[] = [];
  for (let i = 0; i < 5; i++) {
    clock.at += 1;
    made.push((await tokenService.create(freeToken)).token.id);
  }
  assert.deepEqual(
    tokenService.list().map(({ id }) => id),
    made,
  );
});

test('a token whose write to the store failed is neither listed nor valid', async () => {
  const engine = await LevelDbStore.open(scratchDirectory(), () => {});
  const tokens = await Tokens.load(engine, scratchDirectory());
  const tokenService = new TokenService(tokens, clockAt().now);
  await engine.close();
  await assert.rejects(tokenService.create(freeToken, SECRET), /accepts no more writes/);
  assert.deepEqual([tokenService.list().length, tokens.findBySecret(SECRET)], [0, undefined]);
});
