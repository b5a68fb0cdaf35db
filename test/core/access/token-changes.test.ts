import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isLive } from '../../../core/access/token.ts';
import { TokenService } from '../../../core/access/token-service.ts';
import { boot } from '../store/leveldb/booted.ts';
import { now, openSupervisedStore } from '../store/supervised-store.ts';
import { freeToken, isValid, longList, openTokens } from './token-fixture.ts';

test('a revocation survives a restart, has no effect on a revoked token, and fails for an unknown token id', async t => {
  const { tokenService, clock, restart } = await openTokens(t);
  const { token, secret } = await tokenService.create(freeToken);
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

test('a revocation makes every secret of the token invalid, and concurrent changes do not undo the revocation', async t => {
  const { tokenService, tokens, clock } = await openTokens(t);
  const { token, secret } = await tokenService.create(freeToken);
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
  for (const each of [secret, rotated.secret]) assert.equal(isValid(tokens, each, clock.at), false);
});

test('the IP allow-list and the domain allow-list of a token can be changed separately, and the changes survive a restart', async t => {
  const { tokenService, restart } = await openTokens(t);
  const { token } = await tokenService.create({ ...freeToken, allowIps: ['10.0.0.0/8'] });
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
  const { tokenService } = await openTokens(t);
  const { token } = await tokenService.create(freeToken);
  for (const [change, message] of [
    [{ ips: ['10.0.0.0/99'] }, /is not an IP address/],
    [{ ips: ['10.0.0.1'], domains: ['a b'] }, /is not a domain/],
    [{ ips: longList }, /at most 100/],
  ] as const) {
    await assert.rejects(tokenService.allow(token.id, change), { code: 'ADMIN_1', message });
  }
  assert.deepEqual(tokenService.get(token.id), token);
  await assert.rejects(tokenService.allow('tok_none', {}), { code: 'ADMIN_2' });
});

test('a new expiry time survives a restart, makes an expired token valid again, and is refused for a revoked token', async t => {
  const { tokenService, tokens, clock, restart } = await openTokens(t);
  const { secret, token } = await tokenService.create({ ...freeToken, expiresAt: clock.at + 10 });
  clock.at += 10;
  assert.equal(isValid(tokens, secret, clock.at), false);
  await tokenService.expire(token.id, clock.at + 10);
  assert.equal(isValid(tokens, secret, clock.at), true);
  await tokenService.expire(token.id, clock.at + 1);
  assert.equal(isValid(tokens, secret, clock.at + 1), false);
  await tokenService.expire(token.id, 0);
  assert.equal(isValid(tokens, secret, clock.at + 1e12), true);
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

test('a token is valid until it expires or is revoked', async t => {
  const { tokenService, clock } = await openTokens(t);
  const { token } = await tokenService.create({ ...freeToken, expiresAt: clock.at + 10 });
  assert.deepEqual(
    [0, 9, 10].map(ms => isLive(token, clock.at + ms)),
    [true, true, false],
  );
  assert.equal(isLive({ ...token, revokedAt: clock.at }, clock.at), false);
  assert.equal(isLive({ ...token, expiresAt: 0 }, clock.at + 1e12), true);
});

test('an error message does not repeat a secret that the caller sent instead of a token id', async t => {
  const { tokenService } = await openTokens(t);
  const { secret } = await tokenService.create(freeToken);
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

test('if the store refuses a change of a token, a later attempt succeeds, and the store is intact at the next start', async () => {
  const { engine, tokens, directory, close } = await openSupervisedStore();
  const tokenService = new TokenService(tokens, now);
  const { token } = await tokenService.create(freeToken);
  engine.pause('no room');
  await assert.rejects(tokenService.allow(token.id, { ips: ['10.0.0.1'] }), { name: 'NoWrites' });
  engine.pause(undefined);
  await tokenService.allow(token.id, { ips: ['10.0.0.1'] });
  await close();
  const again = await boot(directory, now);
  assert.deepEqual(again.tokens.get(token.id)?.allowIps, ['10.0.0.1']);
  await again.close();
});

test('if the write of a changed token fails, the change succeeds after the recovery, and the store is intact at the next start', async () => {
  const { tokens, supervisor, failWrites, mendWrites, directory, close } = await openSupervisedStore();
  const tokenService = new TokenService(tokens, now);
  const { token } = await tokenService.create(freeToken);
  const outcomes: Promise<boolean>[] = [];
  const change = (): Promise<unknown> => tokenService.allow(token.id, { ips: [`10.0.0.${outcomes.length}`] });
  await failWrites(() => {
    const changed = change().then(
      () => true,
      () => false,
    );
    outcomes.push(changed);
  });
  assert.ok((await Promise.all(outcomes)).includes(false));
  mendWrites();
  await supervisor.check();
  await change();
  await close();
  const again = await boot(directory, now);
  assert.deepEqual(again.tokens.get(token.id)?.allowIps, [`10.0.0.${outcomes.length}`]);
  await again.close();
});
