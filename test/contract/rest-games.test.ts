import assert from 'node:assert/strict';
import { METHODS } from 'node:http';
import { createRequire } from 'node:module';
import { after, before, describe, it } from 'node:test';
import { ask, askRaw } from '../gateway/ask.ts';
import { type CoreAndGateway, startCoreAndGateway } from './core-and-gateway.ts';
import { assertError, GAMES, metaIn, postFetch, serverIn } from './rest.ts';

const require = createRequire(import.meta.url);
const { games: gamedig }: { games: Record<string, { extra?: { old_id?: string } }> } = require('gamedig');

/** Game ids of older releases of gamedig (npm package) that callers still use. */
const RENAMED = ['cs2d', 'il2sturmovik', 'jb007n', 'theforrest'];

describe('GET /v1/get/games', () => {
  let stack: CoreAndGateway;
  before(async () => {
    stack = await startCoreAndGateway();
  });
  after(() => stack.stop());

  const get = (headers: Record<string, string> = {}, path = GAMES) => ask(stack.http, { path, headers });
  const listed = async () => JSON.parse((await get()).text) as Record<string, unknown>[];

  it('answers 200 with a JSON array of {id, name} objects, without authentication', async () => {
    const answer = await get();
    assert.equal(answer.status, 200);
    assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8');
    assert.equal(answer.headers['content-encoding'], 'gzip');
    const games = await listed();
    assert.ok(Array.isArray(games));
    for (const game of games) {
      assert.deepEqual(Object.keys(game), ['id', 'name']);
      assert.deepEqual([typeof game.id, typeof game.name], ['string', 'string']);
    }
    assert.ok(games.some(({ id, name }) => id === 'csgo' && name === 'Counter-Strike: Global Offensive'));
  });

  it('ignores wrong credentials in the request headers', async () => {
    const answer = await get({ 'X-API-Token': 'wrong', 'X-API-Token-Type': 'GOLD' });
    assert.equal(answer.text, (await get()).text);
  });

  it('ignores all query parameters', async () => {
    const { text } = await get();
    for (const path of [`${GAMES}?`, `${GAMES}?a=1&a=2`, `${GAMES}?%`, `${GAMES}?game_id[]=x#y`]) {
      const answer = await get({}, path);
      assert.equal(answer.status, 200, path);
      assert.equal(answer.text, text, path);
    }
  });

  it('lists games with unique ids of the form [a-z0-9]+ and with non-empty names', async () => {
    const games = await listed();
    for (const { id, name } of games) {
      assert.match(String(id), /^[a-z0-9]+$/);
      assert.notEqual(String(name).trim(), '', String(id));
    }
    assert.equal(new Set(games.map(({ id }) => id)).size, games.length);
  });

  it('lists all current game ids of gamedig, and the earlier ids of renamed games that callers still use', async () => {
    const ids = new Set((await listed()).map(({ id }) => id));
    const missing = [...Object.keys(gamedig), ...RENAMED].filter(id => !ids.has(id));
    assert.deepEqual(missing, []);
  });

  it('does not list old game ids of gamedig, although POST /v1/post/fetch accepts them as aliases', async () => {
    const ids = new Set((await listed()).map(({ id }) => id));
    const old = Object.values(gamedig).flatMap(({ extra }) => (extra?.old_id ? [extra.old_id] : []));
    const aliases = old.filter(id => !ids.has(id));
    assert.ok(aliases.includes('cs2') && aliases.includes('arma2oa'), aliases.join());
    const address = '127.0.0.1:27015';
    const answer = await postFetch(
      stack.http,
      aliases.map(alias => ({ game_id: alias, servers: [address] })),
    );
    assert.equal(serverIn(answer, address)._updater.status, 'pending');
    assert.deepEqual(metaIn(answer).invalid_servers, []);
    assert.deepEqual(
      metaIn(answer).inserted_servers.map(({ game_id }) => game_id),
      aliases,
    );
  });

  it('sends ETag, Last-Modified and a Cache-Control header with a max-age of at most 24 hours', async () => {
    const { headers } = await get();
    assert.match(headers.etag ?? '', /^(?:W\/)?"[^"]+"$/);
    assert.equal(new Date(headers['last-modified'] ?? '').toUTCString(), headers['last-modified']);
    const [, seconds] = /^public, max-age=(\d+)$/.exec(headers['cache-control'] ?? '') ?? [];
    assert.ok(Number(seconds) > 86_000 && Number(seconds) <= 86_400, headers['cache-control']);
  });

  it('answers 304 if the If-None-Match header matches the entity tag', async () => {
    const { etag = '' } = (await get()).headers;
    for (const named of [etag, `"other", ${etag}`, '*']) {
      const answer = await get({ 'If-None-Match': named });
      assert.equal(answer.status, 304, named);
      assert.equal(answer.bytes.length, 0);
      assert.equal(answer.headers.etag, etag);
      assert.equal(answer.headers.vary, 'Accept-Encoding');
      assert.match(answer.headers['cache-control'] ?? '', /^public, max-age=/);
    }
    assert.equal((await get({ 'If-None-Match': '"other"' })).status, 200);
  });

  it('answers 405 GET_1 with the header Allow: GET to methods other than GET', async () => {
    const others = METHODS.filter(method => !['GET', 'HEAD', 'CONNECT'].includes(method));
    assert.ok(others.length > 20);
    for (const method of others) {
      const answer = await ask(stack.http, { method, path: GAMES });
      assertError(answer, 405, 'GET_1');
      assert.equal(answer.headers.allow, 'GET', method);
      assert.deepEqual(Object.keys(answer.json), ['error', 'message'], method);
      assert.match(String(answer.json.message), /GET/);
    }
  });

  it('answers 405 to HEAD and OPTIONS, and sends no body with the answer to HEAD', async () => {
    const { head, body } = await askRaw(
      stack.http,
      `HEAD ${GAMES} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
    );
    assert.match(head, /^HTTP\/1\.1 405 /);
    assert.match(head, /^Allow: GET$/im);
    assert.match(head, /^Content-Type: application\/json; charset=utf-8$/im);
    assert.match(head, /^Content-Length: [1-9]/im);
    assert.equal(body.length, 0);
    const origin = { Origin: 'https://example.com', 'Access-Control-Request-Method': 'GET' };
    assertError(await ask(stack.http, { method: 'OPTIONS', path: GAMES, headers: origin }), 405, 'GET_1');
  });
});
