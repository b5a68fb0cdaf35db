import assert from 'node:assert/strict';
import { test } from 'node:test';
import { status } from '@grpc/grpc-js';
import type { GetStatsResponse__Output } from '../../../proto/generated/gsq/v1/GetStatsResponse.ts';
import type { RevokeTokenResponse__Output } from '../../../proto/generated/gsq/v1/RevokeTokenResponse.ts';
import { packageVersion } from '../../../runtime/version.ts';
import { csgo, openedAdmin, wish } from './admin-client.ts';
import { failure, unary } from './answer.ts';

test('AdminService creates a token, lists it with its usage, and revokes it', async t => {
  const { create, listTokens, admin, tokenService, quota, clock } = await openedAdmin(t);
  const expiresAt = { seconds: clock.at / 1000 + 3600, nanos: 0 };
  const made = await create({ ...wish, expiresAt, allowIps: ['10.0.0.0/8'], allowDomains: ['example.com'] });
  assert.match(made.secret, /^gsq_/);
  const [stored] = tokenService.list();
  assert.ok(stored);
  const shown = {
    id: stored.id,
    tier: 'PRO',
    email: 'bob@example.com',
    createdAt: { seconds: clock.at / 1000, nanos: 0 },
    expiresAt,
    revokedAt: null,
    allowIps: ['10.0.0.0/8'],
    allowDomains: ['example.com'],
    used: 0,
    quota: 0,
    lastUsedAt: null,
    previousSecretUntil: null,
  };
  assert.deepEqual(made.token, shown);
  quota.charge(stored.id);
  assert.deepEqual((await listTokens()).tokens, [{ ...shown, used: 1 }]);
  clock.at += 1500;
  const revoke = () => unary<RevokeTokenResponse__Output>(done => admin.revokeToken({ id: stored.id }, done));
  const revokedAt = { seconds: Math.floor(clock.at / 1000), nanos: 500_000_000 };
  assert.deepEqual((await revoke()).token?.revokedAt, revokedAt);
  clock.at += 1000;
  assert.deepEqual((await revoke()).token?.revokedAt, revokedAt, 'revoking twice is no error');
});

test('AdminService answers ADMIN_1 to an invalid value or too many servers, and ADMIN_2 to an unknown token id', async t => {
  const { admin } = await openedAdmin(t);
  const bad = await failure(done => admin.createToken({ ...wish, tier: 'GOLD' }, done));
  assert.deepEqual([bad.code, bad.ours?.code], [status.INVALID_ARGUMENT, 'ADMIN_1']);
  for (const seconds of [0, -1]) {
    // The Unix times 0 and -1 are in the past, so the core must reject them as expiry times. In the store, 0 would mean
    // that the token never expires.
    const over = await failure(done =>
      admin.createToken({ ...wish, expiresAt: { seconds, nanos: 0 } }, done),
    );
    assert.equal(over.ours?.code, 'ADMIN_1');
  }
  // Two expiry times that are too late: the first second after the year 9999, and a time beyond the range of a
  // JavaScript Date.
  for (const seconds of [253_402_300_800, 9e12]) {
    const expiresAt = { seconds, nanos: 0 };
    const late = await failure(done => admin.createToken({ ...wish, expiresAt }, done));
    assert.equal(late.ours?.code, 'ADMIN_1');
    assert.match(late.details, /after the year 9999/);
  }
  const none = await failure(done => admin.revokeToken({ id: 'tok_none' }, done));
  assert.deepEqual([none.code, none.ours?.code], [status.NOT_FOUND, 'ADMIN_2']);
  const many = csgo(...Array.from({ length: 1001 }, () => '1.2.3.4:27015'));
  for (const end of [
    await failure(done => admin.addServers(many, done)),
    await failure(done => admin.removeServers(many, done)),
  ]) {
    assert.equal(end.ours?.code, 'ADMIN_1');
  }
});

test('GetStats returns the numbers of leases (ordered probes), of probers, of valid tokens, and of servers by status', async t => {
  const { stats, track, store, create, tokenService, clock, dispatcher } = await openedAdmin(t);
  await track('1.2.3.4:27015', '1.2.3.4:27016');
  store.leaseDue(1);
  dispatcher.join({ prober: 'p', announced: 0, capacity: 0, send: () => true });
  await create(wish);
  await create({ ...wish, expiresAt: { seconds: clock.at / 1000 + 1, nanos: 0 } });
  await create(wish);
  await tokenService.revoke(tokenService.list()[0]?.id ?? '');
  clock.at += 1000;
  const { tracked, pending, online, offline, probers, leased, tokens } = await stats();
  assert.deepEqual(
    { tracked, pending, online, offline, probers, leased, tokens },
    { tracked: 2, pending: 2, online: 0, offline: 0, probers: 1, leased: 1, tokens: 1 },
  );
});

test('GetStats returns the numbers of fetches and probes, the servers per game, the store size and the version', async t => {
  const core = await openedAdmin(t);
  const { admin, clock, store, joinProber, client } = core;
  const startedAt = { seconds: clock.at / 1000, nanos: 0 };
  const { metadata } = await core.token();
  const ask = (...servers: string[]) =>
    new Promise(done => client.server.fetchServers(csgo(...servers), metadata, done));
  await ask('1.2.3.4:27015', '1.2.3.4:27016');
  await ask('1.2.3.4:27015');
  await new Promise(done => client.server.fetchServersJson(csgo('1.2.3.4:27015'), metadata, done));
  await failure(done => client.server.fetchServers(csgo('1.2.3.4:27015'), done));
  await store.insertIfAbsent([{ gameId: 'css', address: '1.2.3.4:1', insertedBy: 'admin' }]);
  clock.at += 2_500;
  joinProber();
  while (store.stats().online < 3) await new Promise(setImmediate);
  const seen = await unary<GetStatsResponse__Output>(done => admin.getStats({ games: 1 }, done));
  assert.deepEqual(
    { ...seen, storeBytes: seen.storeBytes > 0, diskFreeBytes: seen.diskFreeBytes > 0 },
    {
      tracked: 3,
      pending: 0,
      online: 3,
      offline: 0,
      probers: 1,
      leased: 0,
      tokens: 1,
      version: packageVersion(),
      startedAt,
      fetches: 3,
      fetchesRefused: 1,
      fetchesInFlight: 0,
      probes: 3,
      probesOnline: 3,
      scheduleLagSeconds: 2.5,
      frozen: false,
      unproven: 0,
      storeHealthy: true,
      storeBytes: true,
      diskFreeBytes: true,
      labels: ['RATE_LIMITED', 'CHALLENGE_ONLY', 'FILTERED', 'CACHED'].map(label => ({
        label: `FIREWALL_LABEL_${label}`,
        servers: 0,
      })),
      games: [{ gameId: 'csgo', servers: 2 }],
    },
  );
});
