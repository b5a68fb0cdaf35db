import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { clients } from '../../proto/clients.ts';
import type { HttpBody__Output } from '../../proto/generated/google/api/HttpBody.ts';
import type { ListGamesResponse__Output } from '../../proto/generated/gsq/v1/ListGamesResponse.ts';
import { unary } from '../core/rpc/answer.ts';
import { ask } from '../gateway/ask.ts';
import { A2sServer } from '../system/a2s-server.ts';
import { Stack } from '../system/stack.ts';
import { until } from '../system/until.ts';
import { freshAddress, freshPort } from './fresh-address.ts';
import { deadline, fetchServers, resultFor } from './grpc.ts';
import { fetchOne, GAMES, metaIn, postFetch } from './rest.ts';

describe('GameService and ServerService', () => {
  let stack: Stack;
  let game: A2sServer;
  before(async () => {
    [stack, game] = await Promise.all([
      Stack.start({ processes: ['core', 'gateway', 'prober'] }),
      A2sServer.start(),
    ]);
  });
  after(async () => {
    game.stop();
    await stack.stop();
  });

  const fetch = (gameId: string, ...addresses: string[]) =>
    fetchServers(stack.grpc, { servers: [{ gameId, servers: addresses }] });

  it('ListGames needs no credentials, and returns the same games as REST', async () => {
    const client = clients.game(stack.grpc);
    const answer = await unary<ListGamesResponse__Output>(done => client.listGames({}, deadline(), done));
    client.close();
    assert.deepEqual(answer.games, JSON.parse((await ask(stack.http, { path: GAMES })).text));
    assert.notEqual(answer.version, '');
    assert.ok(answer.maxAgeSeconds > 86_000 && answer.maxAgeSeconds <= 86_400);
    assert.ok(answer.loadedAtMs > Date.UTC(2026, 0, 1));
  });

  it('ListGamesJson needs no credentials, and returns the same bytes as REST', async () => {
    const client = clients.game(stack.grpc);
    const answer = await unary<HttpBody__Output>(done => client.listGamesJson({}, deadline(), done));
    client.close();
    assert.equal(answer.contentType, 'application/json; charset=utf-8');
    assert.equal(String(answer.data), (await ask(stack.http, { path: GAMES })).text);
  });

  it('FetchServers finds a server that REST inserted, and REST finds a server that FetchServers inserted', async () => {
    const [byGrpc, byRest] = [freshAddress(), freshAddress()];
    const inserted = await fetch('csgo', byGrpc);
    assert.deepEqual(inserted.meta, {
      autoInserted: 1,
      insertedServers: [{ gameId: 'csgo', server: byGrpc }],
      invalidServers: [],
    });
    assert.equal(
      metaIn(await postFetch(stack.http, [{ game_id: 'csgo', servers: [byGrpc] }])).auto_inserted,
      0,
    );
    await fetchOne(stack.http, 'csgo', byRest);
    assert.equal((await fetch('csgo', byRest)).meta?.autoInserted, 0);
  });

  it('FetchServers returns a message instead of server data if a server has not been probed yet', async () => {
    const address = freshAddress();
    const result = resultFor(await fetch('csgo', address), 'csgo', address);
    assert.deepEqual([result.payload, result.stale], [null, null]);
    assert.notEqual(result.message, '');
    const { nextProbeAt, ...updater } = result.updater ?? { nextProbeAt: null };
    assert.notEqual(nextProbeAt, null);
    assert.deepEqual(updater, {
      status: 'SERVER_STATUS_PENDING',
      firewallIntervalMinutes: 1,
      firewallLabel: 'FIREWALL_LABEL_NONE',
      lastProbeAt: null,
      lastOnlineAt: null,
      reason: 'unprobed',
    });
  });

  it('FetchServers returns the complete payload of an online server', async () => {
    const { address } = game;
    const online = await until(
      'online',
      async () => resultFor(await fetch('csgo', address), 'csgo', address),
      ({ updater }) => updater?.status === 'SERVER_STATUS_ONLINE',
    );
    const { ping = -1, updated, ...payload } = online.payload ?? {};
    assert.deepEqual(payload, {
      name: 'A server of the tests',
      map: 'de_dust2',
      players: 2,
      _players: 'players',
      maxplayers: 16,
      _maxplayers: 'maxplayers',
      numbots: 0,
      password: true,
      version: '1.38.8.1',
      connect: address,
      playerList: [
        { name: 'Ann', score: 7, time: 61 },
        { name: '"Bob" \\', score: -2, time: 3600 },
      ],
    });
    assert.ok(ping >= 0);
    assert.deepEqual(updated, online.updater?.lastOnlineAt);
    assert.deepEqual([online.message, online.stale], ['', null]);
    const rest = await fetchOne(stack.http, 'csgo', address);
    assert.equal(rest.name, payload.name);
  });

  it('FetchServers returns two results for one address that is requested for two games', async () => {
    const address = freshAddress();
    const request = ['csgo', 'teamfortress2'].map(gameId => ({ gameId, servers: [address] }));
    const answer = await fetchServers(stack.grpc, { servers: request });
    assert.deepEqual(
      answer.results.map(({ gameId, server, updater }) => [gameId, server, updater?.status]),
      [
        ['csgo', address, 'SERVER_STATUS_PENDING'],
        ['teamfortress2', address, 'SERVER_STATUS_PENDING'],
      ],
    );
    assert.equal(answer.meta?.autoInserted, 2);
  });

  it('FetchServers returns one result for each spelling of an address, even if a spelling is repeated', async () => {
    const port = freshPort();
    const written = [
      `127.0.0.1:${port}`,
      `127.0.0.1:${port}`,
      `[::ffff:127.0.0.1]:${port}`,
      '_meta',
      '__proto__',
    ];
    const answer = await fetch('csgo', ...written);
    assert.deepEqual(
      answer.results.map(({ server }) => server),
      written.slice(1),
    );
    assert.equal(answer.meta?.autoInserted, 1);
    for (const server of ['_meta', '__proto__']) {
      assert.equal(resultFor(answer, 'csgo', server).updater?.status, 'SERVER_STATUS_INVALID');
    }
  });

  it('FetchServers waits up to wait_ms for the first probe of inserted servers', async () => {
    const server = await A2sServer.start({ name: 'Worth the wait' });
    try {
      const request = { servers: [{ gameId: 'csgo', servers: [server.address] }], waitMs: 5000 };
      const answer = await fetchServers(stack.grpc, request);
      assert.equal(resultFor(answer, 'csgo', server.address).payload?.name, 'Worth the wait');
    } finally {
      server.stop();
    }
  });
});
