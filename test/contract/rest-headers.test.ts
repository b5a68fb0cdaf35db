import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { ask } from '../gateway/ask.ts';
import { answerKinds, constantGroups } from './answer-kinds.ts';
import { type CoreAndGateway, startCoreAndGateway } from './core-and-gateway.ts';
import { startInProcess } from './in-process.ts';
import { assertError, credentialHeaders, FETCH, GAMES, post, postFetch } from './rest.ts';
import { createToken, type TestToken } from './tokens.ts';

describe('the REST gateway', () => {
  let stack: CoreAndGateway;
  let free: TestToken;
  before(async () => {
    stack = await startCoreAndGateway();
    free = await createToken(stack.internal);
  });
  after(() => stack.stop());

  const kinds = (headers: Record<string, string>) => answerKinds(stack.http, headers);

  it('answers three pipelined requests on one connection', async () => {
    const one = `GET ${GAMES} HTTP/1.1\r\nHost: x\r\nAccept-Encoding: identity\r\nIf-None-Match: *\r\n`;
    const [host = '', port] = stack.http.split(':');
    const socket = connect(Number(port), host);
    socket.write(`${one}\r\n${one}\r\n${one}Connection: close\r\n\r\n`);
    let text = '';
    for await (const chunk of socket) text += chunk;
    assert.equal(text.match(/^HTTP\/1\.1 304 /gm)?.length, 3);
  });

  it('sends X-Request-Id with every response, and repeats it in the body of every error except GET_1 (wrong method)', async () => {
    const seen = new Set<string>();
    for (const [kind, { headers, json }] of Object.entries(await kinds({}))) {
      const id = String(headers['x-request-id']);
      assert.match(id, /^[\w.-]{8,64}$/, kind);
      seen.add(id);
      if (!['games', 'fetch', 'GET_1'].includes(kind)) assert.equal(json.request_id, id, kind);
    }
    assert.equal(seen.size, 7);
  });

  it("keeps the caller's X-Request-Id if it is valid, and replaces it if it is invalid", async () => {
    for (const [kind, { headers }] of Object.entries(await kinds({ 'X-Request-Id': 'order-66_a.b' }))) {
      assert.equal(headers['x-request-id'], 'order-66_a.b', kind);
    }
    for (const insane of ['x'.repeat(65), 'a b', '<script>', 'a,b', '']) {
      const { headers } = await ask(stack.http, { path: GAMES, headers: { 'X-Request-Id': insane } });
      assert.notEqual(headers['x-request-id'], insane);
      assert.match(String(headers['x-request-id']), /^[\w.-]{8,64}$/);
    }
  });

  it('sends the headers RateLimit, RateLimit-Policy and X-RateLimit-* to authenticated callers', async () => {
    const token = credentialHeaders(free);
    for (const [body, status] of [
      [JSON.stringify({ servers: constantGroups }), 200],
      ['{', 400],
    ] as const) {
      const { headers, status: got } = await post(stack.http, { body, headers: token });
      assert.equal(got, status);
      assert.equal(headers['ratelimit-policy'], '"day";q=1440;w=86400, "burst";q=100000;w=1');
      const [, left, reset] =
        /^"day";r=(\d+);t=(\d+), "burst";r=\d+;t=1$/.exec(String(headers.ratelimit)) ?? [];
      assert.equal(headers['x-ratelimit-limit'], '1440');
      assert.equal(headers['x-ratelimit-remaining'], left);
      assert.equal(headers['x-ratelimit-reset'], reset);
      assert.equal(left, '1439');
      assert.ok(Number(reset) > 86_000 && Number(reset) <= 86_400, reset);
    }
  });

  it('sends no RateLimit headers to unauthenticated callers', async () => {
    for (const [kind, { headers }] of Object.entries(await kinds({ 'X-API-Token': 'wrong' }))) {
      const names = Object.keys(headers).filter(name => name.includes('ratelimit'));
      assert.deepEqual(names, [], kind);
    }
    const { headers } = await postFetch(stack.http, constantGroups);
    assert.equal(headers['ratelimit-policy'], '"burst";q=100000;w=1');
  });

  it('answers 304 to a fetch if the If-None-Match header matches the entity tag', async () => {
    const first = await postFetch(stack.http, constantGroups);
    const tag = first.headers.etag ?? '';
    assert.match(tag, /^(?:W\/)?"[^"]+"$/);
    const unchanged = await postFetch(stack.http, constantGroups, { 'If-None-Match': tag });
    assert.equal(unchanged.status, 304);
    assert.equal(unchanged.bytes.length, 0);
    assert.equal(unchanged.headers.etag, tag);
    assert.equal(unchanged.headers.vary, 'Accept-Encoding');
    assert.notEqual(unchanged.headers['x-ratelimit-remaining'], undefined);
    assert.equal((await postFetch(stack.http, constantGroups, { 'If-None-Match': '"other"' })).status, 200);
    const other = await postFetch(stack.http, [{ game_id: 'csgo', servers: ['other'] }], {
      'If-None-Match': tag,
    });
    assert.equal(other.status, 200);
    assert.notEqual(other.headers.etag, tag);
  });

  it('answers an invalid request with an error, not with 304, even if the request has If-None-Match: *', async () => {
    assertError(await post(stack.http, { body: '{', headers: { 'If-None-Match': '*' } }), 400, 'POST_2');
  });

  it('forbids shared caches to store answers to fetches', async () => {
    const { headers } = await postFetch(stack.http, constantGroups);
    assert.match(headers['cache-control'] ?? '', /private|no-store/);
    assert.equal((await post(stack.http, { body: '{' })).headers['cache-control'], 'no-store');
  });

  it('sends no header that identifies the server software', async () => {
    for (const [kind, { headers }] of Object.entries(await kinds({}))) {
      assert.equal(headers['x-powered-by'], undefined, kind);
      assert.equal(headers.server, undefined, kind);
    }
  });
});

describe('a gateway with CORS configured', () => {
  const origin = 'https://example.com';
  it('accepts a preflight request for a fetch only from an allowed origin', async () => {
    const service = await startInProcess({ GSQ_CORS_ORIGINS: origin });
    try {
      const preflight = (from: string, path = FETCH) => {
        const headers = { Origin: from, 'Access-Control-Request-Method': 'POST' };
        return ask(service.http, { method: 'OPTIONS', path, headers });
      };
      const allowed = await preflight(origin);
      assert.equal(allowed.status, 204);
      assert.equal(allowed.headers['access-control-allow-origin'], origin);
      assert.equal(allowed.headers['access-control-allow-methods'], 'POST');
      assert.match(String(allowed.headers['access-control-allow-headers']), /X-API-Token-Email/i);
      const refused = await preflight('https://example.org');
      assert.deepEqual([refused.status, refused.json.error], [405, 'POST_1']);
      assert.equal(refused.headers['access-control-allow-origin'], undefined);
      assert.equal((await ask(service.http, { method: 'OPTIONS', path: FETCH })).status, 405);
      const games = await preflight(origin, GAMES);
      assert.deepEqual([games.status, games.json.error], [405, 'GET_1']);
      assert.equal((await ask(service.http, { method: 'PUT', path: FETCH })).status, 405);
    } finally {
      await service.stop();
    }
  });
});
