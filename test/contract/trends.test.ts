import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ask } from '../gateway/ask.ts';
import { A2sServer } from '../system/a2s-server.ts';
import { Stack } from '../system/stack.ts';
import { until } from '../system/until.ts';
import { fetchOne } from './rest.ts';

describe('GET /v1/trends', () => {
  let stack: Stack;
  let game: A2sServer;
  before(async () => {
    stack = await Stack.start({ processes: ['core', 'gateway', 'prober'], env: { GSQ_PAGE: 'on' } });
    game = await A2sServer.start();
    await until(
      'the server is online',
      () => fetchOne(stack.http, 'csgo', game.address),
      ({ _updater }) => _updater.status === 'online',
    );
  });
  after(async () => {
    game?.stop();
    await stack?.stop();
  });

  it('returns 48 half-hourly player counts of each tracked server, with null for the time before its insert', async () => {
    const path = `/v1/trends?server=csgo/${game.address}&server=csgo/127.0.0.1:1`;
    const { json } = await until(
      'players are known',
      () => ask(stack.http, { path }),
      answer => (answer.json.trends as { players: (number | null)[] }[])[0]?.players.at(-1) === 2,
    );
    const trends = json.trends as { game_id: string; server: string; players: (number | null)[] }[];
    assert.deepEqual(
      trends.map(({ game_id: id, server }) => [id, server]),
      [['csgo', game.address]],
    );
    assert.equal(json.step_seconds, 1_800);
    // gsq has no samples from the time before this test, so the first 46 of the 48 half hours have no players. The last
    // two can have players, because a new half hour can begin during the test.
    assert.deepEqual(trends[0]?.players.slice(0, 46), Array(46).fill(null));
    assert.equal(trends[0]?.players.length, 48);
  });

  it('refuses a request without a server, with more than 100 servers, or with a malformed server', async () => {
    const many = Array.from({ length: 101 }, (_, i) => `server=csgo/127.0.0.1:${i + 1}`).join('&');
    for (const query of ['', `?${many}`, '?server=csgo']) {
      const { status, json } = await ask(stack.http, { path: `/v1/trends${query}` });
      assert.deepEqual([status, json.error], [400, 'QUERY_1'], query.slice(0, 30));
    }
  });
});
