import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HttpBody__Output } from '../../../proto/generated/google/api/HttpBody.ts';
import type { GetHistoryResponse__Output } from '../../../proto/generated/gsq/v1/GetHistoryResponse.ts';
import type { GetUptimeResponse__Output } from '../../../proto/generated/gsq/v1/GetUptimeResponse.ts';
import type { ListIncidentsResponse__Output } from '../../../proto/generated/gsq/v1/ListIncidentsResponse.ts';
import { unary } from './answer.ts';
import { DAY, MINUTE, named, served } from './served-history.ts';

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
