import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { status } from '@grpc/grpc-js';
import type { AddServersRequest } from '../../../proto/generated/gsq/v1/AddServersRequest.ts';
import type { AddServersResponse__Output } from '../../../proto/generated/gsq/v1/AddServersResponse.ts';
import type { CreateTokenRequest } from '../../../proto/generated/gsq/v1/CreateTokenRequest.ts';
import type { CreateTokenResponse__Output } from '../../../proto/generated/gsq/v1/CreateTokenResponse.ts';
import type { GetStatsResponse__Output } from '../../../proto/generated/gsq/v1/GetStatsResponse.ts';
import type { Lease } from '../../../proto/generated/gsq/v1/Lease.ts';
import type { ListServersRequest } from '../../../proto/generated/gsq/v1/ListServersRequest.ts';
import type { ListServersResponse__Output } from '../../../proto/generated/gsq/v1/ListServersResponse.ts';
import type { ListTokensResponse__Output } from '../../../proto/generated/gsq/v1/ListTokensResponse.ts';
import type { RemoveServersResponse__Output } from '../../../proto/generated/gsq/v1/RemoveServersResponse.ts';
import type { RevokeTokenResponse__Output } from '../../../proto/generated/gsq/v1/RevokeTokenResponse.ts';
import { packageVersion } from '../../../runtime/version.ts';
import { keepSecret } from '../../system/transcript.ts';
import { failure, unary } from './answer.ts';
import { runningCore } from './running-core.ts';

const wish: CreateTokenRequest = { tier: 'PRO', email: 'Bob@example.com' };
const csgo = (...servers: string[]) => ({ servers: [{ gameId: 'csgo', servers }] });

async function opened(t: TestContext) {
  const core = await runningCore(t, { games: ['csgo', 'css', 'palworld'] });
  const { admin } = core.client;
  return {
    ...core,
    admin,
    create: (request: CreateTokenRequest) =>
      unary<CreateTokenResponse__Output>(done => admin.createToken(request, done)),
    listTokens: () => unary<ListTokensResponse__Output>(done => admin.listTokens({}, done)),
    stats: () => unary<GetStatsResponse__Output>(done => admin.getStats({}, done)),
    list: (request: ListServersRequest) =>
      unary<ListServersResponse__Output>(done => admin.listServers(request, done)),
    add: (request: AddServersRequest) =>
      unary<AddServersResponse__Output>(done => admin.addServers(request, done)),
    remove: (request: ReturnType<typeof csgo>) =>
      unary<RemoveServersResponse__Output>(done => admin.removeServers(request, done)),
  };
}

test('AdminService creates a token, lists it with its usage, and revokes it', async t => {
  const { create, listTokens, admin, tokenService, quota, clock } = await opened(t);
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

test('AdminService refuses an invalid value or too many servers with ADMIN_1, and an unknown token with ADMIN_2', async t => {
  const { admin } = await opened(t);
  const bad = await failure(done => admin.createToken({ ...wish, tier: 'GOLD' }, done));
  assert.deepEqual([bad.code, bad.ours?.code], [status.INVALID_ARGUMENT, 'ADMIN_1']);
  for (const seconds of [0, -1]) {
    // The store uses 0 for tokens that never expire. A request with the Unix time 0 or -1 means a time in the past.
    const over = await failure(done =>
      admin.createToken({ ...wish, expiresAt: { seconds, nanos: 0 } }, done),
    );
    assert.equal(over.ours?.code, 'ADMIN_1');
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

test('AddServers inserts only valid servers, like a fetch, and stores "admin" as the inserter', async t => {
  const { add, store } = await opened(t);
  const { meta } = await add(csgo('1.2.3.4:27015', '10.0.0.1:27015'));
  assert.equal(meta?.autoInserted, 1);
  assert.deepEqual(meta?.insertedServers, [{ gameId: 'csgo', server: '1.2.3.4:27015' }]);
  assert.deepEqual(
    meta?.invalidServers.map(({ server, reason }) => [server, reason]),
    [['10.0.0.1:27015', 'blocked_address']],
  );
  assert.equal(store.getMany(['csgo 1.2.3.4:27015'])[0]?.insertedBy, 'admin');
});

test('RemoveServers accepts every form of an address and game aliases, and returns only servers that were tracked', async t => {
  const { add, remove, store } = await opened(t);
  await add(csgo('1.2.3.4:27015', '5.6.7.8:27015', '9.9.9.9:27015'));
  const { removed } = await remove({
    servers: [
      { gameId: 'oldcsgo', servers: ['[::ffff:1.2.3.4]:27015'] },
      { gameId: 'csgo', servers: ['5.6.7.8:27015', '5.6.7.8:1'] },
      { gameId: 'css', servers: ['9.9.9.9:27015'] },
    ],
  });
  assert.deepEqual(removed, [
    { gameId: 'oldcsgo', server: '[::ffff:1.2.3.4]:27015' },
    { gameId: 'csgo', server: '5.6.7.8:27015' },
  ]);
  assert.equal(store.stats().tracked, 1);
});

test('if a request contains an unknown game or a malformed address, RemoveServers refuses it and removes nothing', async t => {
  const { add, admin, store } = await opened(t);
  await add(csgo('1.2.3.4:27015'));
  const fine = { gameId: 'csgo', servers: ['1.2.3.4:27015'] };
  for (const bad of [
    { gameId: 'nope', servers: ['9.9.9.9:27015'] },
    { gameId: 'csgo', servers: ['nonsense'] },
  ]) {
    assert.equal(
      (await failure(done => admin.removeServers({ servers: [fine, bad] }, done))).ours?.code,
      'ADMIN_1',
    );
  }
  assert.equal((await failure(done => admin.listServers({ gameId: 'nope' }, done))).ours?.code, 'ADMIN_1');
  assert.equal(store.stats().tracked, 1);
});

test('if a game has left the catalog, its servers can still be listed and removed under the old game id', async t => {
  const { list, remove, store } = await opened(t);
  await store.insertIfAbsent([{ gameId: 'lost', address: '1.2.3.4:2000', insertedBy: 'admin' }]);
  assert.equal((await list({ gameId: 'lost' })).servers.length, 1);
  await remove({ servers: [{ gameId: 'lost', servers: ['1.2.3.4:2000'] }] });
  assert.equal(store.stats().tracked, 0);
});

test('ListServers returns servers page by page, for all games or for one game, which can be given by its alias', async t => {
  const { list, store } = await opened(t);
  const insertedBy = 'admin';
  await store.insertIfAbsent([
    ...Array.from({ length: 5 }, (_, i) => ({ gameId: 'csgo', address: `1.2.3.4:${2000 + i}`, insertedBy })),
    { gameId: 'css', address: '1.2.3.4:2000', insertedBy },
  ]);
  const pagesOf = async (gameId: string, pageSize: number): Promise<string[][]> => {
    const pages: string[][] = [];
    let pageToken = '';
    do {
      const page = await list({ gameId, pageSize, pageToken });
      pages.push(page.servers.map(({ gameId: game, server }) => `${game} ${server.slice(-4)}`));
      pageToken = page.nextPageToken;
    } while (pageToken !== '');
    return pages;
  };
  const all = [2000, 2001, 2002, 2003, 2004].map(port => `csgo ${port}`);
  assert.deepEqual(await pagesOf('', 4), [all.slice(0, 4), [...all.slice(4), 'css 2000']]);
  assert.deepEqual(await pagesOf('csgo', 3), [all.slice(0, 3), all.slice(3)]);
  assert.deepEqual(await pagesOf('oldcsgo', 0), [all]);
  assert.deepEqual((await pagesOf('', 4_000_000_000)).length, 1);
});

test('ListServers returns the status and the payload of a server', async t => {
  const { list, track, joinProber, store } = await opened(t);
  await track('1.2.3.4:27015');
  joinProber('Fragtown');
  while (store.stats().online === 0) await new Promise(setImmediate);
  const [server] = (await list({})).servers;
  assert.deepEqual(
    [server?.updater?.status, server?.payload?.name, server?.message],
    ['SERVER_STATUS_ONLINE', 'Fragtown', ''],
  );
});

test('GetStats returns the number of servers by status, of leases, of probers and of valid tokens', async t => {
  const { stats, track, store, create, tokenService, clock, dispatcher } = await opened(t);
  await track('1.2.3.4:27015', '1.2.3.4:27016');
  store.leaseDue(1);
  dispatcher.join({ capacity: 0, send: () => true });
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

test('GetStats returns fetches, probes, servers per label and game, schedule lag, store size and version', async t => {
  const core = await opened(t);
  const { admin, clock, store, joinProber, client } = core;
  const startedAt = { seconds: clock.at / 1000, nanos: 0 };
  const { metadata } = await core.token();
  const ask = (...servers: string[]) =>
    new Promise(done => client.server.fetchServers(csgo(...servers), metadata, done));
  await ask('1.2.3.4:27015', '1.2.3.4:27016');
  await ask('1.2.3.4:27015');
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
      fetches: 2,
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

const palworld = (access: AddServersRequest['access'], ...servers: string[]): AddServersRequest => ({
  servers: [{ gameId: 'palworld', servers }],
  access: access ?? null,
});

test('AddServers stores a secret and options, sends them to the prober, and no reply contains the secret', async t => {
  const { add, list, credentials, dispatcher, store } = await opened(t);
  const leases: Lease[] = [];
  dispatcher.join({ capacity: 10, send: sent => leases.push(...sent) > 0 });
  const access = { secret: 'a secret of this test', options: [{ name: 'username', value: 'ann' }] };
  const added = await add(palworld(access, '1.2.3.4:8212', '10.0.0.1:8212'));
  assert.deepEqual([added.meta?.autoInserted, credentials.size], [1, 1]);
  while (leases.length === 0) await new Promise(setImmediate);
  const [{ secret, options } = {}] = leases;
  assert.deepEqual({ secret, options }, access, 'the first lease has them');
  await add(csgo('1.2.3.4:27015'));
  const answer = await list({});
  assert.deepEqual(answer.access, [
    { gameId: 'palworld', server: '1.2.3.4:8212', hasSecret: true, options: ['username'] },
  ]);
  assert.ok(!/a secret of this test|"ann"/.test(JSON.stringify([added, answer])));
  await store.remove(['palworld 1.2.3.4:8212']);
  assert.deepEqual([credentials.size, (await list({})).access], [0, []]);
});

test('if a tracked server gets a secret, the server is probed with this secret immediately', async t => {
  const { add, dispatcher, clock, joinProber, store } = await opened(t);
  await add(palworld(null, '1.2.3.4:8212'));
  const leave = joinProber();
  while (store.stats().online === 0) await new Promise(setImmediate);
  leave();
  clock.at += 1_000;
  const leases: Lease[] = [];
  dispatcher.join({ capacity: 10, send: sent => leases.push(...sent) > 0 });
  await add(palworld({ secret: 'a secret of this test' }, '1.2.3.4:8212'));
  while (leases.length === 0) await new Promise(setImmediate);
  assert.equal(leases[0]?.secret, 'a secret of this test');
});

test('AddServers can replace and remove the secret and the options of a tracked server separately', async t => {
  const { add, credentials } = await opened(t);
  const stored = () => credentials.get('palworld 1.2.3.4:8212');
  const change = (access: AddServersRequest['access']) => add(palworld(access, '1.2.3.4:8212'));
  await change(null);
  assert.equal(stored(), undefined);
  await change({ secret: 'one' });
  await change({ options: [{ name: 'query_port', value: '8300' }] });
  await change({});
  assert.deepEqual(stored(), { secret: 'one', options: new Map([['query_port', '8300']]) });
  await change({ secret: 'two', options: [{ name: 'query_port', value: '' }] });
  assert.deepEqual(stored(), { secret: 'two', options: new Map() });
  await change({ clearSecret: true });
  assert.equal(stored(), undefined);
});

test('AddServers refuses secrets and options that are invalid for the game with ADMIN_1, and adds nothing', async t => {
  const { admin, credentials, store } = await opened(t);
  const secret = 'a secret of this test';
  keepSecret(secret);
  const many = Array.from({ length: 17 }, () => ({ name: 'username', value: 'ann' }));
  const refused: [AddServersRequest, RegExp][] = [
    [{ ...csgo('1.2.3.4:27015'), access: { secret } }, /csgo: servers of this game take no secret/],
    [palworld({ secret: `${secret}\n` }, '1.2.3.4:8212'), /palworld: the secret has line ends/],
    [palworld({ secret: secret.repeat(200) }, '1.2.3.4:8212'), /more than 4096 bytes/],
    [palworld({ secret, clearSecret: true }, '1.2.3.4:8212'), /set and forgotten at once/],
    [palworld({ options: [{ name: 'guild', value: '1' }] }, '1.2.3.4:8212'), /no option "guild"/],
    [palworld({ options: [{ name: 'query_port', value: '22' }] }, '1.2.3.4:8212'), /query_port must be/],
    [palworld({ options: many }, '1.2.3.4:8212'), /17 options; at most 16/],
  ];
  for (const [request, message] of refused) {
    const { ours, details } = await failure(done => admin.addServers(request, done));
    assert.equal(ours?.code, 'ADMIN_1');
    assert.match(details, message);
    assert.ok(!details.includes(secret));
  }
  assert.deepEqual([store.stats().tracked, credentials.size], [0, 0]);
});
