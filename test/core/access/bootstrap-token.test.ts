import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freeToken, isValid, openTokens, SECRET } from './token-fixture.ts';

test('the core creates the token of GSQ_BOOTSTRAP_TOKEN only once, even if it restarts with this setting', async t => {
  const { tokenService, tokens, restart } = await openTokens(t);
  await tokenService.bootstrap(SECRET, freeToken);
  const token = tokens.findBySecret(SECRET);
  await tokenService.bootstrap(SECRET, freeToken);
  await tokenService.bootstrap(SECRET, { ...freeToken, tier: 'PRO' });
  assert.equal(tokenService.list().length, 1);
  assert.equal(tokens.findBySecret(SECRET), token);
  const found = await restart();
  await found.tokenService.bootstrap(SECRET, freeToken);
  assert.equal(found.tokenService.list().length, 1);
});

test('a revoked token of GSQ_BOOTSTRAP_TOKEN stays revoked after a restart with the same setting', async t => {
  const { tokenService, tokens, clock } = await openTokens(t);
  await tokenService.bootstrap(SECRET, freeToken);
  await tokenService.revoke(tokens.findBySecret(SECRET)?.id ?? '');
  await tokenService.bootstrap(SECRET, freeToken);
  assert.deepEqual(
    tokenService.list().map(token => token.revokedAt),
    [clock.at],
  );
});

test('a restart does not make the secret in GSQ_BOOTSTRAP_TOKEN valid again after the token was rotated', async t => {
  const { tokenService, tokens, clock, restart } = await openTokens(t);
  await tokenService.bootstrap(SECRET, freeToken);
  const id = tokens.findBySecret(SECRET)?.id ?? '';
  for (let i = 0; i < 4; i++) await tokenService.rotate(id, 0);
  await tokenService.bootstrap(SECRET, freeToken);
  const found = await restart();
  await found.tokenService.bootstrap(SECRET, freeToken);
  assert.equal(found.tokenService.list().length, 1);
  assert.equal(isValid(found.tokens, SECRET, clock.at), false);
});
