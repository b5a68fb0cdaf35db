import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { type Answer, ask, askRaw } from '../gateway/ask.ts';
import { Stack } from '../system/stack.ts';
import { startInProcess } from './in-process.ts';
import { assertError, credentialHeaders, FETCH, GAMES, post, postFetch } from './rest.ts';
import { createToken, type TestToken } from './tokens.ts';

/** Groups for a fetch whose answer never changes, because the only address is invalid. */
const constant = [{ game_id: 'csgo', servers: ['nonsense'] }];
const constantBody = JSON.stringify({ servers: constant });

describe('the REST gateway', () => {
  let stack: Stack;
  let free: TestToken;
  before(async () => {
    stack = await Stack.start({ processes: ['core', 'gateway'] });
    free = await createToken(stack.internal);
  });
  after(() => stack.stop());

  /** Returns one answer of each kind: a success and an error of both endpoints, and the error for an unknown path. */
  const kinds = async (headers: Record<string, string>): Promise<Record<string, Answer>> => ({
    games: await ask(stack.http, { path: GAMES, headers }),
    fetch: await postFetch(stack.http, constant, headers),
    GET_1: await ask(stack.http, { method: 'DELETE', path: GAMES, headers }),
    POST_1: await ask(stack.http, { path: FETCH, headers }),
    POST_2: await post(stack.http, { body: '{', headers }),
    AUTH_1: await ask(stack.http, { method: 'POST', path: FETCH, headers }),
    ROUTE_1: await ask(stack.http, { path: '/nowhere', headers }),
  });

  it('answers with JSON and Content-Type: application/json; charset=utf-8, also in the case of an error', async () => {
    for (const [kind, { headers, bytes, text }] of Object.entries(await kinds({}))) {
      assert.equal(headers['content-type'], 'application/json; charset=utf-8', kind);
      assert.equal(headers['content-length'], String(bytes.length), kind);
      assert.ok(text.length > 2, kind);
      JSON.parse(text);
    }
  });

  it('compresses with gzip if the request has no Accept-Encoding header, and sends Vary: Accept-Encoding', async () => {
    for (const [kind, { headers, bytes, text }] of Object.entries(await kinds({}))) {
      assert.equal(headers['content-encoding'], 'gzip', kind);
      assert.equal(headers.vary, 'Accept-Encoding', kind);
      assert.equal(gunzipSync(bytes).toString(), text, kind);
    }
  });

  it('compresses with gzip unless the Accept-Encoding header refuses gzip', async () => {
    for (const accepted of [
      'gzip',
      'br',
      'deflate, br',
      'gzip;q=0.1, identity;q=0',
      '*',
      'identity;q=0',
      'GZIP',
    ]) {
      for (const [kind, { headers }] of Object.entries(await kinds({ 'Accept-Encoding': accepted }))) {
        assert.equal(headers['content-encoding'], 'gzip', `${accepted}: ${kind}`);
      }
    }
  });

  it('sends an uncompressed answer if Accept-Encoding refuses gzip, for example with identity or gzip;q=0', async () => {
    for (const refused of ['identity', 'gzip;q=0', 'gzip; q=0.0, br', '*;q=0', '']) {
      for (const [kind, answer] of Object.entries(await kinds({ 'Accept-Encoding': refused }))) {
        const { headers, bytes, text } = answer;
        assert.equal(headers['content-encoding'], undefined, `${refused}: ${kind}`);
        assert.equal(headers.vary, 'Accept-Encoding');
        assert.equal(bytes.toString(), text);
      }
    }
  });

  it('sends the same body with and without compression', async () => {
    const packed = await ask(stack.http, { path: GAMES });
    const plain = await ask(stack.http, { path: GAMES, headers: { 'Accept-Encoding': 'identity' } });
    assert.equal(plain.text, packed.text);
    assert.ok(packed.bytes.length < plain.bytes.length / 2);
  });

  it('compresses the answer to an HTTP/1.0 request whose only header is Host', async () => {
    const { head, body } = await askRaw(stack.http, `GET ${GAMES} HTTP/1.0\r\nHost: x\r\n\r\n`);
    assert.match(head, /^HTTP\/1\.1 200 OK/);
    assert.match(head, /^Content-Encoding: gzip$/im);
    assert.equal(JSON.parse(gunzipSync(body).toString()).length > 300, true);
  });

  it('answers an invalid HTTP request with a status of 400 to 499 and a JSON body', async () => {
    for (const bytes of [
      `BREW ${GAMES} HTTP/1.1\r\nHost: x\r\n\r\n`,
      `GET ${GAMES} HTTP/1.1\r\n\r\n`,
      `GET ${GAMES} HTTP/9.9\r\nHost: x\r\n\r\n`,
      `GET ${GAMES} HTTP/1.1\r\nHost: x\r\nBad Header\r\n\r\n`,
      `GET ${GAMES} HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`,
      `POST ${FETCH} HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    ]) {
      const [line] = bytes.split('\r\n');
      const { head, body } = await askRaw(
        stack.http,
        bytes.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'),
      );
      assert.match(head, /^HTTP\/1\.1 4\d\d /, line);
      assert.match(head, /^Content-Type: application\/json; charset=utf-8$/im, line);
      const { error, message } = JSON.parse(gunzipSync(body).toString());
      assert.equal(typeof error, 'string', line);
      assert.ok(message.length > 0, line);
    }
  });

  it('answers three pipelined requests on one connection', async () => {
    const one = `GET ${GAMES} HTTP/1.1\r\nHost: x\r\nAccept-Encoding: identity\r\nIf-None-Match: *\r\n`;
    const [host = '', port] = stack.http.split(':');
    const socket = connect(Number(port), host);
    socket.write(`${one}\r\n${one}\r\n${one}Connection: close\r\n\r\n`);
    let text = '';
    for await (const chunk of socket) text += chunk;
    assert.equal(text.match(/^HTTP\/1\.1 304 /gm)?.length, 3);
  });

  it('sends X-Request-Id with every response, and repeats it in the body of errors other than GET_1', async () => {
    const seen = new Set<string>();
    for (const [kind, { headers, json }] of Object.entries(await kinds({}))) {
      const id = String(headers['x-request-id']);
      assert.match(id, /^[\w.-]{8,64}$/, kind);
      seen.add(id);
      if (!['games', 'fetch', 'GET_1'].includes(kind)) assert.equal(json.request_id, id, kind);
    }
    assert.equal(seen.size, 7);
  });

  it("uses the caller's X-Request-Id if it is valid, and another id if it is not", async () => {
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
      [constantBody, 200],
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

  it('sends no RateLimit headers without authentication, and no day policy to a PRO token', async () => {
    for (const [kind, { headers }] of Object.entries(await kinds({ 'X-API-Token': 'wrong' }))) {
      const names = Object.keys(headers).filter(name => name.includes('ratelimit'));
      assert.deepEqual(names, [], kind);
    }
    const { headers } = await postFetch(stack.http, constant);
    assert.equal(headers['ratelimit-policy'], '"burst";q=100000;w=1');
  });

  it('answers 304 to a fetch if the If-None-Match header matches the entity tag', async () => {
    const first = await postFetch(stack.http, constant);
    const tag = first.headers.etag ?? '';
    assert.match(tag, /^(?:W\/)?"[^"]+"$/);
    const unchanged = await postFetch(stack.http, constant, { 'If-None-Match': tag });
    assert.equal(unchanged.status, 304);
    assert.equal(unchanged.bytes.length, 0);
    assert.equal(unchanged.headers.etag, tag);
    assert.equal(unchanged.headers.vary, 'Accept-Encoding');
    assert.notEqual(unchanged.headers['x-ratelimit-remaining'], undefined);
    assert.equal((await postFetch(stack.http, constant, { 'If-None-Match': '"other"' })).status, 200);
    const other = await postFetch(stack.http, [{ game_id: 'csgo', servers: ['other'] }], {
      'If-None-Match': tag,
    });
    assert.equal(other.status, 200);
    assert.notEqual(other.headers.etag, tag);
  });

  it('answers an invalid request with its error even if the request has If-None-Match: *', async () => {
    assertError(await post(stack.http, { body: '{', headers: { 'If-None-Match': '*' } }), 400, 'POST_2');
  });

  it('forbids shared caches to store answers to fetches', async () => {
    const { headers } = await postFetch(stack.http, constant);
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
  it('answers a preflight request of an allowed origin for a fetch, and other methods with 405', async () => {
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
