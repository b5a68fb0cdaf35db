import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type Metadata, status } from '@grpc/grpc-js';
import type { AllowTokenRequest } from '../../../proto/generated/gsq/v1/AllowTokenRequest.ts';
import type { AllowTokenResponse__Output } from '../../../proto/generated/gsq/v1/AllowTokenResponse.ts';
import type { FetchServersResponse__Output } from '../../../proto/generated/gsq/v1/FetchServersResponse.ts';
import type { GetTokenResponse__Output } from '../../../proto/generated/gsq/v1/GetTokenResponse.ts';
import type { ListTokensResponse__Output } from '../../../proto/generated/gsq/v1/ListTokensResponse.ts';
import type { RotateTokenRequest } from '../../../proto/generated/gsq/v1/RotateTokenRequest.ts';
import type { RotateTokenResponse__Output } from '../../../proto/generated/gsq/v1/RotateTokenResponse.ts';
import { failure, unary } from './answer.ts';
import { runningCore } from './running-core.ts';

const servers = [{ gameId: 'csgo', servers: ['1.2.3.4:27015'] }];

async function opened(t: TestContext) {
  const core = await runningCore(t);
  const { admin, server } = core.client;
  const shown = (metadata: Metadata, secret: string): Metadata => {
    const changed = metadata.clone();
    changed.set('x-api-token', secret);
    return changed;
  };
  return {
    ...core,
    admin,
    server,
    shown,
    get: async (id: string) =>
      (await unary<GetTokenResponse__Output>(done => admin.getToken({ id }, done))).token,
    rotate: (request: RotateTokenRequest) =>
      unary<RotateTokenResponse__Output>(done => admin.rotateToken(request, done)),
    allow: (request: AllowTokenRequest) =>
      unary<AllowTokenResponse__Output>(done => admin.allowToken(request, done)),
    fetch: (metadata: Metadata) =>
      unary<FetchServersResponse__Output>(done => server.fetchServers({ servers }, metadata, done)),
    refusal: async (metadata: Metadata) =>
      (await failure(done => server.fetchServers({ servers }, metadata, done))).ours?.code,
  };
}

test('GetToken returns the usage, the daily quota and the last use of a token', async t => {
  const { token, get, fetch, clock } = await opened(t);
  const free = await token();
  const pro = await token({ tier: 'PRO' });
  const before = await get(free.id);
  assert.deepEqual([before?.used, before?.quota, before?.lastUsedAt], [0, 1440, null]);
  clock.at += 1500;
  await fetch(free.metadata);
  await fetch(free.metadata);
  const after = await get(free.id);
  const at = { seconds: Math.floor(clock.at / 1000), nanos: 500_000_000 };
  assert.deepEqual([after?.used, after?.quota, after?.lastUsedAt], [2, 1440, at]);
  assert.deepEqual([(await get(pro.id))?.quota, (await get(pro.id))?.used], [0, 0]);
});

test('after RotateToken, both secrets are valid until the grace period ends, and then only the new secret is valid', async t => {
  const { token, rotate, get, fetch, refusal, shown, clock } = await opened(t);
  const { id, metadata } = await token();
  const { secret, token: rotated } = await rotate({ id, grace: { seconds: 60, nanos: 0 } });
  const until = { seconds: clock.at / 1000 + 60, nanos: 0 };
  assert.deepEqual(rotated?.previousSecretUntil, until);
  assert.deepEqual((await get(id))?.previousSecretUntil, until);
  clock.at += 59_999;
  await fetch(metadata);
  await fetch(shown(metadata, secret));
  assert.equal((await get(id))?.used, 2, 'one quota for both');
  clock.at += 1;
  assert.equal(await refusal(metadata), 'AUTH_3');
  await fetch(shown(metadata, secret));
  assert.equal((await get(id))?.previousSecretUntil, null);
});

test('the grace period of RotateToken is 7 days by default; a grace period of 0 makes the old secret invalid immediately', async t => {
  const { token, rotate, refusal, fetch, shown, clock } = await opened(t);
  const { id, metadata } = await token();
  const first = await rotate({ id });
  assert.deepEqual(first.token?.previousSecretUntil, { seconds: clock.at / 1000 + 7 * 86_400, nanos: 0 });
  const second = await rotate({ id, grace: { seconds: 0, nanos: 0 } });
  assert.equal(second.token?.previousSecretUntil, null);
  for (const old of [metadata, shown(metadata, first.secret)]) assert.equal(await refusal(old), 'AUTH_3');
  await fetch(shown(metadata, second.secret));
});

test('AllowToken changes only the allow-lists in its request, and the new lists apply from the next call', async t => {
  const { token, allow, fetch, refusal } = await opened(t);
  const { id, metadata } = await token();
  await fetch(metadata);
  const changed = await allow({ id, ips: { entries: ['192.0.2.0/24'] } });
  assert.deepEqual([changed.token?.allowIps, changed.token?.allowDomains], [['192.0.2.0/24'], []]);
  assert.equal(await refusal(metadata), 'AUTH_4');
  await allow({ id, ips: { entries: ['127.0.0.0/8'] } });
  await fetch(metadata);
  const domains = await allow({ id, domains: { entries: ['Example.com'] } });
  assert.deepEqual(
    [domains.token?.allowIps, domains.token?.allowDomains],
    [['127.0.0.0/8'], ['example.com']],
  );
  assert.equal(await refusal(metadata), 'AUTH_4');
  const ips = await allow({ id, ips: { entries: ['::1'] } });
  assert.deepEqual(ips.token?.allowDomains, ['example.com'], 'a list that is not given stays');
  const none = await allow({ id, ips: {}, domains: {} });
  assert.deepEqual([none.token?.allowIps, none.token?.allowDomains], [[], []]);
  await fetch(metadata);
});

test('admin calls answer ADMIN_1 to an invalid value and ADMIN_2 to an unknown token id, and no error repeats a secret', async t => {
  const { admin, token } = await opened(t);
  const { id, metadata } = await token();
  const secret = String(metadata.get('x-api-token')[0]);
  const bad = [
    await failure(done => admin.rotateToken({ id, grace: { seconds: -1, nanos: 0 } }, done)),
    await failure(done => admin.rotateToken({ id, grace: { seconds: 400 * 86_400, nanos: 0 } }, done)),
    await failure(done => admin.allowToken({ id, ips: { entries: ['nowhere'] } }, done)),
    await failure(done => admin.allowToken({ id, domains: { entries: ['a/b'] } }, done)),
  ];
  for (const { code, ours } of bad) {
    assert.deepEqual([code, ours?.code], [status.INVALID_ARGUMENT, 'ADMIN_1']);
  }
  for (const wrong of ['tok_none', secret]) {
    for (const { code, ours, details } of [
      await failure(done => admin.getToken({ id: wrong }, done)),
      await failure(done => admin.rotateToken({ id: wrong }, done)),
      await failure(done => admin.allowToken({ id: wrong }, done)),
      await failure(done => admin.revokeToken({ id: wrong }, done)),
    ]) {
      assert.deepEqual([code, ours?.code], [status.NOT_FOUND, 'ADMIN_2']);
      assert.ok(!details.includes(secret));
    }
  }
});

test('the replies to ListTokens, GetToken and AllowToken contain neither a secret nor the hash of a secret', async t => {
  const { token, rotate, get, allow, admin, tokenService } = await opened(t);
  const { id, metadata } = await token();
  const { secret } = await rotate({ id });
  const list = await unary<ListTokensResponse__Output>(done => admin.listTokens({}, done));
  const text = JSON.stringify([list, await get(id), await allow({ id })]);
  const hashes = tokenService.get(id).secrets.map(({ hash }) => hash);
  assert.equal(hashes.length, 2);
  for (const hidden of [secret, String(metadata.get('x-api-token')[0]), ...hashes]) {
    assert.ok(hidden.length > 30 && !text.includes(hidden));
  }
});
