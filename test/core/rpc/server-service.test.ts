import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Metadata, status } from '@grpc/grpc-js';
import type { FetchServersResponse__Output } from '../../../proto/generated/gsq/v1/FetchServersResponse.ts';
import type { ListGamesResponse__Output } from '../../../proto/generated/gsq/v1/ListGamesResponse.ts';
import { failure, unary } from './answer.ts';
import { runningCore } from './running-core.ts';

const csgo = (...servers: string[]) => ({ servers: [{ gameId: 'csgo', servers }] });
const seconds = (ms: number) => ({ seconds: Math.floor(ms / 1000), nanos: (ms % 1000) * 1e6 });

test('ListGames returns id and name of each game, the version of the catalog and the remaining cache lifetime', async t => {
  const { client, clock } = await runningCore(t);
  const loadedAtMs = clock.at;
  clock.at += 1500;
  const games = await unary<ListGamesResponse__Output>(done => client.game.listGames({}, done));
  assert.deepEqual(games, {
    games: [
      { id: 'csgo', name: 'Game csgo' },
      { id: 'css', name: 'Game css' },
    ],
    version: games.version,
    loadedAtMs,
    maxAgeSeconds: 86_398,
  });
  assert.match(games.version, /^[0-9a-f]{32}$/);
});

test('FetchServers returns one result for each requested pair of game and address, in the order of the request', async t => {
  const { client, token, track, joinProber, store, clock, quota } = await runningCore(t);
  const { id, metadata } = await token();
  await track('1.2.3.4:27015');
  joinProber();
  while (store.stats().online === 0) await new Promise(setImmediate);
  const [record] = store.getMany(['csgo 1.2.3.4:27015']);
  assert.ok(record);
  const request = {
    servers: [
      { gameId: 'oldcsgo', servers: ['1.2.3.4:27015', 'here'] },
      { gameId: 'css', servers: ['1.2.3.4:27015'] },
    ],
  };
  let initial: Metadata | undefined;
  const { results, meta } = await unary<FetchServersResponse__Output>(done => {
    const call = client.server.fetchServers(request, metadata, done);
    call.on('metadata', (received: Metadata) => {
      initial = received;
    });
    return call;
  });
  const updater = { firewallIntervalMinutes: 1, firewallLabel: 'FIREWALL_LABEL_NONE' };
  const at = seconds(clock.at);
  assert.deepEqual(results, [
    {
      gameId: 'oldcsgo',
      server: '1.2.3.4:27015',
      updater: {
        ...updater,
        status: 'SERVER_STATUS_ONLINE',
        nextProbeAt: seconds(record.nextProbeAt),
        lastProbeAt: at,
        lastOnlineAt: at,
        reason: '',
      },
      payload: {
        name: 'One',
        map: 'de_dust2',
        players: 3,
        maxplayers: 16,
        // For each optional field that is present, proto-loader adds a key with the prefix `_`.
        _players: 'players',
        _maxplayers: 'maxplayers',
        numbots: 1,
        password: false,
        version: '1.0',
        ping: 27,
        connect: '1.2.3.4:27015',
        updated: at,
        playerList: [{ name: 'Ann', score: -2, time: 61 }],
      },
      stale: null,
      message: '',
    },
    {
      gameId: 'oldcsgo',
      server: 'here',
      updater: {
        firewallIntervalMinutes: 0,
        firewallLabel: 'FIREWALL_LABEL_NONE',
        status: 'SERVER_STATUS_INVALID',
        nextProbeAt: null,
        lastProbeAt: null,
        lastOnlineAt: null,
        reason: '',
      },
      payload: null,
      stale: null,
      message: results[1]?.message,
    },
    {
      gameId: 'css',
      server: '1.2.3.4:27015',
      updater: {
        ...updater,
        status: 'SERVER_STATUS_PENDING',
        nextProbeAt: at,
        lastProbeAt: null,
        lastOnlineAt: null,
        reason: 'unprobed',
      },
      payload: null,
      stale: null,
      message: 'No data yet: this server is waiting for its first probe.',
    },
  ]);
  assert.match(results[1]?.message ?? '', /has no port/);
  assert.deepEqual(meta, {
    autoInserted: 1,
    insertedServers: [{ gameId: 'css', server: '1.2.3.4:27015' }],
    invalidServers: [
      { gameId: 'oldcsgo', server: 'here', reason: 'malformed_address', message: results[1]?.message },
    ],
  });
  assert.equal(quota.used(id), 1);
  assert.match(String(initial?.get('ratelimit')[0]), /^"day";r=1439;t=86400$/);
});

test('if a server was not probed for a long time, FetchServers returns its old data with the status pending', async t => {
  const { client, token, track, joinProber, store, clock } = await runningCore(t);
  const { metadata } = await token();
  await track('1.2.3.4:27015');
  const leave = joinProber();
  while (store.stats().online === 0) await new Promise(setImmediate);
  leave();
  const lastSuccessAt = seconds(clock.at);
  clock.at += 700_000;
  const { results } = await unary<FetchServersResponse__Output>(done =>
    client.server.fetchServers(csgo('1.2.3.4:27015'), metadata, done),
  );
  const { status: shown, reason } = results[0]?.updater ?? {};
  assert.deepEqual([shown, reason], ['SERVER_STATUS_PENDING', 'prober_unavailable']);
  assert.equal(results[0]?.payload?.name, 'One');
  assert.deepEqual(results[0]?.stale, {
    reason: 'probe_delayed',
    ageSeconds: 700,
    thresholdSeconds: 600,
    lastSuccessAt,
  });
});

test('FetchServers answers AUTH_1 to missing credentials and POST_3 to too many addresses; neither counts against the daily quota', async t => {
  const { client, token, quota, store } = await runningCore(t);
  const { id, metadata } = await token();
  const refused = async (request: ReturnType<typeof csgo>, shown: Metadata | undefined) => {
    const { code, ours } = await failure(done =>
      shown ? client.server.fetchServers(request, shown, done) : client.server.fetchServers(request, done),
    );
    return [code, ours?.code];
  };
  const many = csgo(...Array.from({ length: 1001 }, () => '1.2.3.4:27015'));
  assert.deepEqual(await refused(csgo('1.2.3.4:27015'), undefined), [status.UNAUTHENTICATED, 'AUTH_1']);
  assert.deepEqual(await refused(many, undefined), [status.UNAUTHENTICATED, 'AUTH_1']);
  assert.deepEqual(await refused(many, metadata), [status.INVALID_ARGUMENT, 'POST_3']);
  assert.deepEqual([quota.used(id), store.stats().tracked], [0, 0]);
});
