import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isWholeSecret } from '../../../proto/token-secret.ts';
import { freeToken, isValid, openTokens } from './token-fixture.ts';

const DAY = 86_400_000;

test('the rotation of a token makes its new secret valid immediately, and keeps the old secret valid until the grace period ends', async t => {
  const { tokenService, tokens, clock, restart } = await openTokens(t);
  const { secret: old, token } = await tokenService.create({ ...freeToken, allowIps: ['10.0.0.0/8'] });
  const { secret, token: after } = await tokenService.rotate(token.id);
  assert.ok(isWholeSecret(secret));
  assert.notEqual(secret, old);
  assert.deepEqual({ ...after, secrets: [] }, { ...token, secrets: [] }, 'all else stays');
  const end = clock.at + 7 * DAY;
  assert.deepEqual([isValid(tokens, secret, end - 1), isValid(tokens, old, end - 1)], [true, true]);
  assert.deepEqual([isValid(tokens, secret, end), isValid(tokens, old, end)], [true, false]);
  const found = await restart();
  assert.deepEqual(
    [isValid(found.tokens, secret, end - 1), isValid(found.tokens, old, end - 1)],
    [true, true],
  );
  assert.deepEqual([isValid(found.tokens, secret, end), isValid(found.tokens, old, end)], [true, false]);
  assert.ok(!found.stored.includes(secret) && !found.stored.includes(old));
});

test('the rotation of a token without a grace period makes its old secret invalid immediately', async t => {
  const { tokenService, tokens, clock } = await openTokens(t);
  const { secret: old, token } = await tokenService.create(freeToken);
  const { secret } = await tokenService.rotate(token.id, 0);
  assert.deepEqual([isValid(tokens, secret, clock.at), isValid(tokens, old, clock.at)], [true, false]);
});

test('a token never has more than two valid secrets, even after many rotations', async t => {
  const { tokenService, tokens, clock, restart } = await openTokens(t);
  const { secret, token } = await tokenService.create(freeToken);
  const secrets = [secret];
  for (let i = 0; i < 5; i++) {
    clock.at += 1;
    secrets.push((await tokenService.rotate(token.id, 365 * DAY)).secret);
    const live = secrets.map(each => isValid(tokens, each, clock.at));
    assert.deepEqual(live, [...Array<boolean>(i).fill(false), true, true]);
  }
  assert.equal(tokenService.get(token.id).secrets.length, 3, 'what is kept does not grow');
  const found = await restart();
  assert.deepEqual(
    secrets.map(each => isValid(found.tokens, each, clock.at)),
    [false, false, false, false, true, true],
  );
});

test('the rotation of a token is refused for an unknown or revoked token, and for a grace period outside 0 to 365 days', async t => {
  const { tokenService, tokens, clock } = await openTokens(t);
  const { token, secret } = await tokenService.create(freeToken);
  for (const grace of [-1, 365 * DAY + 1, Number.NaN]) {
    await assert.rejects(tokenService.rotate(token.id, grace), { code: 'ADMIN_1', message: /0 to 365 days/ });
  }
  assert.ok(isValid(tokens, secret, clock.at), 'a refused rotation changes nothing');
  await assert.rejects(tokenService.rotate('tok_none'), { code: 'ADMIN_2' });
  await tokenService.revoke(token.id);
  await assert.rejects(tokenService.rotate(token.id), { code: 'ADMIN_1', message: /revoked for good/ });
  assert.equal(isValid(tokens, secret, clock.at), false);
});
