import assert from 'node:assert/strict';
import { METHODS } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { ask, askRaw } from '../gateway/ask.ts';
import { type CoreAndGateway, startCoreAndGateway } from './core-and-gateway.ts';
import { assertError, FETCH, post } from './rest.ts';

describe('POST /v1/post/fetch', () => {
  let stack: CoreAndGateway;
  before(async () => {
    stack = await startCoreAndGateway();
  });
  after(() => stack.stop());

  it('answers 405 POST_1 with the header Allow: POST to methods other than POST', async () => {
    const others = METHODS.filter(method => !['POST', 'HEAD', 'CONNECT'].includes(method));
    for (const method of others) {
      const answer = await post(stack.http, { method });
      assertError(answer, 405, 'POST_1');
      assert.equal(answer.headers.allow, 'POST', method);
    }
  });

  it('answers 405 to HEAD and CONNECT', async () => {
    const head = await askRaw(stack.http, `HEAD ${FETCH} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    assert.match(head.head, /^HTTP\/1\.1 405 /);
    assert.match(head.head, /^Allow: POST$/im);
    const connect = await askRaw(stack.http, `CONNECT ${FETCH} HTTP/1.1\r\nHost: x\r\n\r\n`);
    assert.match(connect.head, /^HTTP\/1\.1 405 /);
    assert.ok(connect.body.length > 0);
  });

  it('answers 405 to OPTIONS if CORS is not configured', async () => {
    const headers = { Origin: 'https://example.com', 'Access-Control-Request-Method': 'POST' };
    const answer = await ask(stack.http, { method: 'OPTIONS', path: FETCH, headers });
    assertError(answer, 405, 'POST_1');
    assert.equal(answer.headers['access-control-allow-origin'], undefined);
  });

  it('is the only fetch path: similar and unknown paths get 404 ROUTE_1 in JSON', async () => {
    for (const path of [
      '/',
      '/v1',
      `${FETCH}/`,
      '/V1/post/fetch',
      '/v1/post/fetch/x',
      '//',
      '/%',
      '/v2/get/games',
    ]) {
      for (const method of ['GET', 'POST', 'DELETE']) {
        assertError(await ask(stack.http, { method, path }), 404, 'ROUTE_1');
      }
    }
  });
});
