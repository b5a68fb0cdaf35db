import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { status } from '@grpc/grpc-js';
import { ask } from '../ask.ts';
import { type GatewayUnderTest, runGateway } from '../running-gateway.ts';
import { ScriptedCore } from '../scripted-core.ts';

const PATH = '/v1/get/games';
const LOADED_AT = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
const games = [
  { id: 'csgo', name: 'Counter-Strike: Global Offensive' },
  { id: 'quake3', name: 'Quake III Arena' },
];

describe('GET /v1/get/games', () => {
  const core = new ScriptedCore();
  let gateway: GatewayUnderTest;
  let now = 0;

  before(() => core.start());
  beforeEach(async () => {
    core.games = { games, version: 'v1', loadedAtMs: LOADED_AT, maxAgeSeconds: 100 };
    core.gamesError = undefined;
    core.holdGames = false;
    core.listGamesCalls = 0;
    now = Date.now();
    await gateway?.running.drain();
    gateway = await runGateway(core.address, { GSQ_REQUEST_TIMEOUT: '5s' }, {}, () => now);
  });
  after(async () => {
    await gateway.running.drain();
    core.stop();
  });

  const askGames = (headers = {}) => ask(gateway.http, { path: PATH, headers });

  test('answers 200 with a gzip-compressed array of game ids and names, and with caching headers', async () => {
    const answer = await askGames();
    assert.equal(answer.status, 200);
    assert.deepEqual(answer.json, games);
    assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8');
    assert.equal(answer.headers['content-encoding'], 'gzip');
    assert.equal(answer.headers['content-length'], String(answer.bytes.length));
    assert.equal(answer.headers.vary, 'Accept-Encoding');
    assert.equal(answer.headers['cache-control'], 'public, max-age=100');
    assert.equal(answer.headers['last-modified'], 'Fri, 02 Jan 2026 03:04:05 GMT');
    assert.match(answer.headers.etag ?? '', /^W\/"/);
    assert.ok(answer.headers['x-request-id']);
  });

  test('answers without compression if the request has Accept-Encoding: identity', async () => {
    const answer = await askGames({ 'Accept-Encoding': 'identity' });
    assert.equal(answer.headers['content-encoding'], undefined);
    assert.equal(answer.bytes.toString(), JSON.stringify(games));
  });

  test('ignores query parameters', async () => {
    assert.equal((await ask(gateway.http, { path: `${PATH}?id=csgo&x` })).status, 200);
  });

  test('answers 304 without a body if If-None-Match contains the ETag of the answer', async () => {
    const { headers } = await askGames();
    const again = await askGames({
      'If-None-Match': headers.etag,
      'If-Modified-Since': 'Thu, 01 Jan 1970 00:00:00 GMT',
    });
    assert.equal(again.status, 304);
    assert.equal(again.bytes.length, 0);
    assert.equal(again.headers.etag, headers.etag);
    assert.equal((await askGames({ 'If-None-Match': '"x"' })).status, 200);
  });

  test('answers 304 if the catalog has not changed since If-Modified-Since and the request has no If-None-Match', async () => {
    const { headers } = await askGames();
    const since = headers['last-modified'];
    assert.equal((await askGames({ 'If-Modified-Since': since })).status, 304);
    assert.equal((await askGames({ 'If-Modified-Since': 'Thu, 01 Jan 2026 00:00:00 GMT' })).status, 200);
    assert.equal((await askGames({ 'If-Modified-Since': 'nonsense' })).status, 200);
    assert.equal((await askGames({ 'If-Modified-Since': since, 'If-None-Match': '"x"' })).status, 200);
  });

  for (const method of ['POST', 'HEAD', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE']) {
    test(`answers 405 GET_1 if the method is ${method}`, async () => {
      const answer = await ask(gateway.http, { method, path: PATH });
      assert.equal(answer.status, 405);
      assert.equal(answer.headers.allow, 'GET');
      if (method === 'HEAD') return assert.equal(answer.bytes.length, 0);
      assert.deepEqual(Object.keys(answer.json), ['error', 'message']);
      assert.equal(answer.json.error, 'GET_1');
      assert.match(String(answer.json.message), /Only GET requests are accepted/);
    });
  }

  test('does not load the catalog again before it expires, and sends its remaining lifetime as max-age', async () => {
    await askGames();
    now += 99_500;
    assert.equal((await askGames()).headers['cache-control'], 'public, max-age=0');
    assert.equal(core.listGamesCalls, 1);
    now += 500;
    core.games = { ...core.games, games: [{ id: 'new', name: 'New' }], version: 'v2' };
    assert.deepEqual((await askGames()).json, [{ id: 'new', name: 'New' }]);
    assert.equal(core.listGamesCalls, 2);
  });

  test('reuses the answer body if a reloaded catalog has the same version, but updates Last-Modified and max-age', async () => {
    const first = await askGames();
    now += 100_000;
    core.games = { ...core.games, games: [], loadedAtMs: LOADED_AT + 60_000 };
    const second = await askGames();
    assert.deepEqual(second.bytes, first.bytes);
    assert.equal(second.headers['last-modified'], 'Fri, 02 Jan 2026 03:05:05 GMT');
    assert.equal(second.headers['cache-control'], 'public, max-age=100');
  });

  test('loads the catalog only once for concurrent requests', async () => {
    core.holdGames = true;
    const answers = Promise.all(Array.from({ length: 20 }, () => askGames()));
    await core.until(() => core.heldGames.length > 0);
    core.holdGames = false;
    for (const say of core.heldGames.splice(0)) say();
    for (const answer of await answers) assert.deepEqual(answer.json, games);
    assert.equal(core.listGamesCalls, 1);
  });

  test('answers with the expired catalog if the core cannot be reached, and tries to load a new catalog one second later', async () => {
    await askGames();
    now += 100_000;
    core.gamesError = { code: status.UNAVAILABLE };
    const stale = await askGames();
    assert.deepEqual(stale.json, games);
    assert.equal(stale.headers['cache-control'], 'public, max-age=0');
    await askGames();
    const attempts = core.listGamesCalls - 1;
    assert.equal(attempts, 4, 'one load, which gRPC repeats three times');
    now += 1000;
    core.gamesError = undefined;
    assert.equal((await askGames()).headers['cache-control'], 'public, max-age=100');
    assert.equal(core.listGamesCalls, 1 + attempts + 1);
  });

  test('loads the catalog again if the clock was set back, and sends max-age=0 while the core cannot be reached', async () => {
    await askGames();
    now -= 3_600_000;
    core.gamesError = { code: status.UNAVAILABLE };
    assert.equal((await askGames()).headers['cache-control'], 'public, max-age=0');
    now -= 3_600_000;
    core.gamesError = undefined;
    assert.equal((await askGames()).headers['cache-control'], 'public, max-age=100');
  });

  test('answers 503 CORE_1 if the core cannot be reached and there is no older catalog', async () => {
    core.gamesError = { code: status.UNAVAILABLE, details: 'connect ECONNREFUSED 10.0.0.1:50052' };
    const answer = await askGames();
    assert.equal(answer.status, 503);
    assert.equal(answer.json.error, 'CORE_1');
    assert.equal(answer.headers['retry-after'], '1');
    assert.doesNotMatch(answer.text, /50052|ECONN/);
  });

  test('answers with the error CORE_1 if the core refuses the internal secret of the gateway', async () => {
    core.gamesError = { code: status.UNAUTHENTICATED };
    assert.equal((await askGames()).json.error, 'CORE_1');
  });

  test('answers 504 CORE_2 if the core does not answer in time', async () => {
    await gateway.running.drain();
    gateway = await runGateway(core.address, { GSQ_REQUEST_TIMEOUT: '100ms' });
    core.holdGames = true;
    const answer = await askGames();
    assert.equal(answer.status, 504);
    assert.equal(answer.json.error, 'CORE_2');
    core.heldGames.length = 0;
  });
});
