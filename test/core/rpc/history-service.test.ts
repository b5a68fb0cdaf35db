import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Metadata, status } from '@grpc/grpc-js';
import { HistoryReader } from '../../../core/history/history-reader.ts';
import type { HistoryStore } from '../../../core/history/history-store.ts';
import { beginHour } from '../../../core/history/hour-coding.ts';
import { hourPhaseOfKey } from '../../../core/history/hour-phase.ts';
import { NoHistory } from '../../../core/history/no-history.ts';
import { createInternalServer, listen } from '../../../core/rpc/grpc-server.ts';
import { Handlers } from '../../../core/rpc/handler.ts';
import { historyService } from '../../../core/rpc/history-service.ts';
import { Readers } from '../../../core/rpc/readers.ts';
import { newRecord } from '../../../core/servers/record-status.ts';
import { clients, credentialKeys } from '../../../proto/clients.ts';
import { gsqV1 } from '../../../proto/descriptors.ts';
import type { HttpBody__Output } from '../../../proto/generated/google/api/HttpBody.ts';
import type { GetHistoryResponse__Output } from '../../../proto/generated/gsq/v1/GetHistoryResponse.ts';
import type { GetUptimeResponse__Output } from '../../../proto/generated/gsq/v1/GetUptimeResponse.ts';
import type { ListIncidentsResponse__Output } from '../../../proto/generated/gsq/v1/ListIncidentsResponse.ts';
import { formatEndpoint } from '../../../runtime/endpoint.ts';
import { openAuthenticator } from '../access/authenticator-fixture.ts';
import { catalogOf } from '../catalog-of.ts';
import { failure, unary } from './answer.ts';

const MINUTE = 60_000;
const DAY = 86_400_000;
const named = { gameId: 'oldcsgo', server: 'EXAMPLE.com.:27015' };
const none = async () => [];
const PHASE = hourPhaseOfKey('csgo example.com:27015');

/**
 * Serves the history of one server, csgo example.com:27015. The server was inserted a day ago, and answered two minutes
 * ago with three players.
 */
async function served(t: TestContext, change: Partial<HistoryStore> = {}) {
  const { clock, authenticator, quota, token } = await openAuthenticator(t);
  const at = clock.at - 2 * MINUTE;
  const server = {
    ...newRecord('csgo', 'example.com:27015', 'admin', clock.at - DAY, MINUTE),
    openHour: beginHour({ at, state: 'online', players: 3, maxPlayers: 8, bots: 0, holdMs: 90_000 }, PHASE),
  };
  const store = { hours: none, quarters: none, days: none, incidents: none, oldest: () => 0, ...change };
  const retention = { samplesMs: DAY, quartersMs: 30 * DAY };
  const handlers = new Handlers(
    () => {},
    error => assert.fail(String(error)),
  );
  const core = createInternalServer();
  const dependencies = {
    readers: new Readers(authenticator, false),
    catalog: await catalogOf(clock.now, 'csgo'),
    records: {
      readRecords: async (keys: readonly string[]) =>
        keys.map(key => (key === server.key ? server : undefined)),
    },
    history: new HistoryReader({ store, retention, longestHoldMs: 5_400_000, now: clock.now }),
    now: clock.now,
  };
  core.addService(gsqV1.HistoryService.service, historyService(dependencies, handlers));
  const endpoint = await listen(core, 'GSQ_GRPC_ADDR', { host: '127.0.0.1', port: 0 });
  const client = clients.history(formatEndpoint(endpoint));
  t.after(() => {
    client.close();
    core.forceShutdown();
  });
  const { id, credentials } = await token();
  const metadata = new Metadata();
  for (const [name, key] of Object.entries(credentialKeys)) metadata.set(key, credentials[name as 'token']);
  return { client, metadata, clock, used: () => quota.used(id), at };
}

const bodyOf = async (start: Parameters<typeof unary<HttpBody__Output>>[0]): Promise<unknown> => {
  const { contentType, data } = await unary(start);
  assert.equal(contentType, 'application/json; charset=utf-8');
  return JSON.parse(data.toString());
};
const seconds = (ms: number) => ({ seconds: ms / 1_000, nanos: 0 });

test('GetHistory finds a server by an alias of the game and by another spelling of the address', async t => {
  const { client, metadata, at } = await served(t);
  const request = { ...named, from: seconds(at), to: seconds(at + 2 * MINUTE), step: '60s' };
  const { gameId, server, stepSeconds, from, to, samples } = await unary<GetHistoryResponse__Output>(done =>
    client.getHistory(request, metadata, done),
  );
  assert.deepEqual([gameId, server, stepSeconds], ['csgo', 'example.com:27015', 60]);
  assert.deepEqual([from, to], [seconds(at), seconds(at + 2 * MINUTE)]);
  const [first, second] = samples;
  assert.deepEqual(
    [first?.at, first?.playersMean, first?.playersMax, first?.onlineShare, first?.knownShare],
    [seconds(at), 3, 3, 1, 1],
  );
  assert.deepEqual([second?.onlineShare, second?.knownShare], [1, 0.5]);
});

test('GetHistoryJson returns null for a time step without data', async t => {
  const { client, metadata, at } = await served(t);
  const request = { ...named, from: seconds(at - MINUTE), to: seconds(at + 2 * MINUTE), step: '60s' };
  assert.deepEqual(await bodyOf(done => client.getHistoryJson(request, metadata, done)), {
    game_id: 'csgo',
    server: 'example.com:27015',
    step_seconds: 60,
    from: '2025-12-31T23:57:00.000Z',
    to: '2026-01-01T00:00:00.000Z',
    samples: [
      null,
      { at: '2025-12-31T23:58:00.000Z', players_mean: 3, players_max: 3, online_share: 1, known_share: 1 },
      { at: '2025-12-31T23:59:00.000Z', players_mean: 3, players_max: 3, online_share: 1, known_share: 0.5 },
    ],
  });
});

test('for each time window, GetUptime and GetUptimeJson return the share of online time and the share of time with data', async t => {
  const { client, metadata } = await served(t);
  const request = { ...named, window: '1h,2d' };
  const typed = await unary<GetUptimeResponse__Output>(done => client.getUptime(request, metadata, done));
  assert.deepEqual(
    typed.windows.map(({ window, onlineShare, knownShare }) => [window, onlineShare, knownShare]),
    [
      ['1h', 1, 0.025],
      ['2d', 1, 0.000521],
    ],
  );
  assert.deepEqual(await bodyOf(done => client.getUptimeJson(request, metadata, done)), {
    game_id: 'csgo',
    server: 'example.com:27015',
    windows: [
      { window: '1h', online_share: 1, known_share: 0.025 },
      { window: '2d', online_share: 1, known_share: 0.000521 },
    ],
  });
});

test('if a window has no data, GetUptimeJson returns null instead of the share of online time', async t => {
  const { client, metadata, clock } = await served(t);
  clock.at += 2 * DAY;
  const body = await bodyOf(done => client.getUptimeJson({ ...named, window: '1h' }, metadata, done));
  const windows = [{ window: '1h', online_share: null, known_share: 0 }];
  assert.deepEqual(body, { game_id: 'csgo', server: 'example.com:27015', windows });
});

test('ListIncidents returns the incidents in pages, and a newer incident does not shift the next page', async t => {
  const begin = Date.UTC(2025, 11, 31, 12);
  const all = [3, 2, 1].map(hour => ({
    started: begin + hour * 3_600_000,
    ended: hour === 3 ? undefined : begin + hour * 3_600_000 + MINUTE,
    reason: 'no_reply' as const,
  }));
  const { client, metadata } = await served(t, {
    incidents: async (_, before, limit) => all.filter(({ started }) => started < before).slice(0, limit),
  });
  const page = (pageToken: string) =>
    unary<ListIncidentsResponse__Output>(done =>
      client.listIncidents({ ...named, pageSize: 2, pageToken }, metadata, done),
    );
  const first = await page('');
  assert.deepEqual(
    first.incidents.map(({ started, ended, reason }) => [started, ended, reason]),
    [
      [seconds(begin + 3 * 3_600_000), null, 'no_reply'],
      [seconds(begin + 2 * 3_600_000), seconds(begin + 2 * 3_600_000 + MINUTE), 'no_reply'],
    ],
  );
  all.unshift({ started: begin + 4 * 3_600_000, ended: undefined, reason: 'no_reply' });
  const second = await page(first.nextPageToken);
  assert.deepEqual(
    [second.incidents.map(({ started }) => started), second.nextPageToken],
    [[seconds(begin + 3_600_000)], ''],
  );
  const body = await bodyOf(done =>
    client.listIncidentsJson({ ...named, pageToken: first.nextPageToken }, metadata, done),
  );
  assert.deepEqual(body, {
    game_id: 'csgo',
    server: 'example.com:27015',
    incidents: [
      { started: '2025-12-31T13:00:00.000Z', ended: '2025-12-31T13:01:00.000Z', reason: 'no_reply' },
    ],
    next_page_token: '',
  });
});

test('the methods of HistoryService need credentials, and each request counts against the daily quota', async t => {
  const { client, metadata, used } = await served(t);
  const refused = await failure(done => client.getUptime(named, done));
  assert.equal(refused.ours?.code, 'AUTH_1');
  assert.equal(used(), 0);
  await unary(done => client.getUptime(named, metadata, done));
  assert.equal(used(), 1);
});

test('the methods of HistoryService fail with SERVER_1 for a server that is not tracked, and with QUERY_1 for a malformed address', async t => {
  const { client, metadata } = await served(t);
  const askFor = (change: Partial<typeof named>) =>
    failure(done => client.listIncidents({ ...named, ...change }, metadata, done));
  for (const change of [{ server: '1.2.3.4:27015' }, { gameId: 'css' }, { gameId: '' }]) {
    const { code, ours } = await askFor(change);
    assert.deepEqual([code, ours?.code], [status.NOT_FOUND, 'SERVER_1']);
  }
  const { ours } = await askFor({ server: 'here' });
  assert.deepEqual([ours?.code, ours?.details.violations?.[0]?.path], ['QUERY_1', 'server']);
});

test('the methods of HistoryService fail with QUERY_1 if a parameter is not valid, and the error contains the parameter', async t => {
  const { client, metadata } = await served(t);
  const step = await failure(done => client.getHistoryJson({ ...named, step: '1s' }, metadata, done));
  const window = await failure(done => client.getUptimeJson({ ...named, window: '1s' }, metadata, done));
  const token = await failure(done => client.listIncidentsJson({ ...named, pageToken: 'x' }, metadata, done));
  const paths = [step, window, token].map(({ ours }) => [ours?.code, ours?.details.violations?.[0]?.path]);
  assert.deepEqual(paths, [
    ['QUERY_1', 'step'],
    ['QUERY_1', 'window'],
    ['QUERY_1', 'page_token'],
  ]);
});

test('the methods of HistoryService fail with CORE_1 and a retry delay if the history cannot be read', async t => {
  const unreadable = () => Promise.reject(new NoHistory('The disk failed.'));
  const { client, metadata } = await served(t, { hours: unreadable });
  const { ours } = await failure(done => client.getUptime({ ...named, window: '1h' }, metadata, done));
  assert.equal(ours?.code, 'CORE_1');
  assert.ok(ours?.details.retryAfterSeconds);
});
