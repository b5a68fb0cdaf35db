import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fits, opened, SECRET, wish } from './token-fixture.ts';

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
