import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Metadata } from '@grpc/grpc-js';
import { clients, credentialKeys } from '../../proto/clients.ts';
import type { ListGamesResponse__Output } from '../../proto/generated/gsq/v1/ListGamesResponse.ts';
import { unary } from '../core/rpc/answer.ts';
import { ask } from '../gateway/ask.ts';
import { A2sServer } from '../system/a2s-server.ts';
import { Stack } from '../system/stack.ts';
import { bootstrap } from '../system/stack-settings.ts';
import { until } from '../system/until.ts';
import { freshAddress, freshPort } from './fresh-address.ts';
import { credentialMetadata, deadline, failure, fetchServers, resultFor } from './grpc.ts';
import { startInProcess } from './in-process.ts';
import { fetchOne, GAMES, metaIn, postFetch } from './rest.ts';
import { createToken, revokeToken, usedBy } from './tokens.ts';

const servers = [{ gameId: 'csgo', servers: ['127.0.0.1:27015'] }];

describe('GameService and ServerService', () => {
  let stack: Stack;
  let game: A2sServer;
  before(async () => {
    [stack, game] = await Promise.all([Stack.start(), A2sServer.start()]);
  });
  after(async () => {
    game.stop();
    await stack.stop();
  });

  const fetch = (gameId: string, ...addresses: string[]) =>
    fetchServers(stack.grpc, { servers: [{ gameId, servers: addresses }] });
  const refused = (metadata: Metadata, request = { servers }) =>
    failure(fetchServers(stack.grpc, request, metadata));

  it('ListGames returns the same games as REST, without credentials', async () => {
    const client = clients.game(stack.grpc);
    const answer = await unary<ListGamesResponse__Output>(done => client.listGames({}, deadline(), done));
    client.close();
    assert.deepEqual(answer.games, JSON.parse((await ask(stack.http, { path: GAMES })).text));
    assert.notEqual(answer.version, '');
    assert.ok(answer.maxAgeSeconds > 86_000 && answer.maxAgeSeconds <= 86_400);
    assert.ok(answer.loadedAtMs > Date.UTC(2026, 0, 1));
  });

  it('FetchServers and REST use the same tracked servers: each knows a server that the other inserted', async () => {
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

  it('FetchServers returns a message and no payload for a pending server', async () => {
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

  it('FetchServers returns one result for a repeated pair, and each address as the caller wrote it', async () => {
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

  it('FetchServers returns a result and the reason for each invalid pair of game and address', async () => {
    const bad: [string, string, string][] = [
      ['nosuchgame', '127.0.0.1:27015', 'unknown_game'],
      ['csgo', 'nonsense', 'malformed_address'],
      ['csgo', '10.0.0.1:27015', 'blocked_address'],
      ['csgo', '127.0.0.1:22', 'blocked_address'],
      ['csgo', 'game.invalid:27015', 'unresolvable_host'],
    ];
    const request = bad.map(([gameId, address]) => ({ gameId, servers: [address] }));
    const answer = await fetchServers(stack.grpc, { servers: request });
    assert.equal(answer.meta?.autoInserted, 0);
    assert.deepEqual(
      answer.meta?.invalidServers.map(({ gameId, server, reason }) => [gameId, server, reason]),
      bad,
    );
    for (const [at, [gameId, server]] of bad.entries()) {
      const result = resultFor(answer, gameId, server);
      assert.deepEqual(result.updater, {
        status: 'SERVER_STATUS_INVALID',
        firewallIntervalMinutes: 0,
        firewallLabel: 'FIREWALL_LABEL_NONE',
        nextProbeAt: null,
        lastProbeAt: null,
        lastOnlineAt: null,
        reason: '',
      });
      assert.equal(result.message, answer.meta?.invalidServers[at]?.message);
    }
  });

  it('FetchServers reports insert_quota for a server above GSQ_MAX_SERVERS', async () => {
    const small = await startInProcess({ GSQ_MAX_SERVERS: '1' });
    try {
      const both = { servers: [{ gameId: 'csgo', servers: [freshAddress(), freshAddress()] }] };
      const { meta } = await fetchServers(small.grpc, both);
      assert.equal(meta?.autoInserted, 1);
      assert.deepEqual(
        meta?.invalidServers.map(({ reason }) => reason),
        ['insert_quota'],
      );
    } finally {
      await small.stop();
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

  it('credentials are accepted as metadata x-api-token, x-api-token-type, x-api-token-email', async () => {
    assert.deepEqual(credentialKeys, {
      token: 'x-api-token',
      tier: 'x-api-token-type',
      email: 'x-api-token-email',
    });
    const answer = await fetchServers(stack.grpc, { servers }, credentialMetadata());
    assert.equal(answer.results.length, 1);
    const shouted = { ...bootstrap, email: bootstrap.email.toUpperCase() };
    assert.equal(
      (await fetchServers(stack.grpc, { servers }, credentialMetadata(shouted))).results.length,
      1,
    );
  });

  it('a call without credentials gets UNAUTHENTICATED with ErrorInfo AUTH_1', async () => {
    const { code, reason, domain, message } = await refused(new Metadata());
    assert.deepEqual([code, reason, domain], ['UNAUTHENTICATED', 'AUTH_1', 'gsq']);
    assert.notEqual(message, '');
  });

  it('a call with an unknown tier gets UNAUTHENTICATED with ErrorInfo AUTH_2', async () => {
    const { code, reason } = await refused(credentialMetadata({ ...bootstrap, tier: 'GOLD' }));
    assert.deepEqual([code, reason], ['UNAUTHENTICATED', 'AUTH_2']);
  });

  it('a call with a wrong or revoked token, tier or e-mail gets UNAUTHENTICATED with ErrorInfo AUTH_3', async () => {
    const revoked = await createToken(stack.internal);
    await revokeToken(stack.internal, revoked.id);
    const refusals = await Promise.all(
      [
        { ...bootstrap, token: 'gsq_unknown-token' },
        { ...bootstrap, tier: 'FREE' },
        { ...bootstrap, email: 'other@example.com' },
        revoked,
      ].map(credentials => refused(credentialMetadata(credentials))),
    );
    for (const refusal of refusals) assert.deepEqual(refusal, refusals[0]);
    assert.deepEqual([refusals[0]?.code, refusals[0]?.reason], ['UNAUTHENTICATED', 'AUTH_3']);
  });

  it('a caller outside the IP allow-list of the token gets PERMISSION_DENIED with ErrorInfo AUTH_4', async () => {
    const token = await createToken(stack.internal, { allowIps: ['10.0.0.0/8'] });
    const { code, reason } = await refused(credentialMetadata(token));
    assert.deepEqual([code, reason], ['PERMISSION_DENIED', 'AUTH_4']);
    const here = await createToken(stack.internal, { allowIps: ['127.0.0.0/8'] });
    assert.equal((await fetchServers(stack.grpc, { servers }, credentialMetadata(here))).results.length, 1);
  });

  it('a call with too many addresses gets INVALID_ARGUMENT with POST_3 and BadRequest, and costs no quota', async () => {
    const token = await createToken(stack.internal);
    const many = [{ gameId: 'csgo', servers: Array.from({ length: 1001 }, () => '127.0.0.1:27015') }];
    const { code, reason, violations } = await refused(credentialMetadata(token), { servers: many });
    assert.deepEqual([code, reason], ['INVALID_ARGUMENT', 'POST_3']);
    assert.equal(violations?.[0]?.field, 'servers');
    assert.notEqual(violations?.[0]?.description, '');
    assert.equal(await usedBy(stack.internal, token.id), 0);
  });

  it('a call over the burst limit gets RESOURCE_EXHAUSTED with ErrorInfo RATE_1 and RetryInfo', async () => {
    const slow = await startInProcess({ GSQ_BURST_LIMIT: '1' });
    try {
      const attempts = Array.from({ length: 8 }, () =>
        fetchServers(slow.grpc, {}).then(
          () => undefined,
          error => error,
        ),
      );
      const error = (await Promise.all(attempts)).find(outcome => outcome !== undefined);
      const { code, reason, retryAfterSeconds } = await failure(Promise.reject(error));
      assert.deepEqual([code, reason, retryAfterSeconds], ['RESOURCE_EXHAUSTED', 'RATE_1', 1]);
    } finally {
      await slow.stop();
    }
  });

  it('FetchServers checks the credentials before the number of addresses, as REST does', async () => {
    const many = [{ gameId: 'csgo', servers: Array.from({ length: 1001 }, () => '127.0.0.1:27015') }];
    assert.equal((await refused(new Metadata(), { servers: many })).reason, 'AUTH_1');
    const unknown = credentialMetadata({ token: 'x', tier: 'GOLD', email: '' });
    assert.equal((await refused(unknown, { servers: many })).reason, 'AUTH_2');
  });
});
