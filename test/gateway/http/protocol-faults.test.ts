import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { describe, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { ask, askFetch, askRaw } from '../ask.ts';
import { withGateway } from '../running-gateway.ts';

describe('an HTTP request', () => {
  const { gateway } = withGateway();

  for (const method of ['GET', 'POST', 'DELETE', 'OPTIONS']) {
    test(`gets 404 ROUTE_1 in JSON if it is a ${method} request for an unknown path`, async () => {
      const answer = await ask(gateway.http, {
        method,
        path: '/nowhere?x=1',
        headers: { 'X-Request-Id': 'mine' },
      });
      assert.equal(answer.status, 404);
      assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8');
      assert.equal(answer.headers['content-encoding'], 'gzip');
      assert.equal(answer.headers['x-request-id'], 'mine');
      assert.equal(answer.json.error, 'ROUTE_1');
      assert.equal(answer.json.request_id, 'mine');
      assert.match(String(answer.json.message), /GET \/v1\/get\/games/);
    });
  }

  test('gets 404 without a body if it is a HEAD request for an unknown path', async () => {
    const answer = await ask(gateway.http, { method: 'HEAD', path: '/nowhere' });
    assert.equal(answer.status, 404);
    assert.equal(answer.bytes.length, 0);
  });

  for (const path of [
    '/',
    '/v1/get/games/',
    '/V1/get/games',
    '//v1/get/games',
    '/v1/get',
    '/%',
    '/%zz',
    '/metrics',
    '/core/metrics',
  ]) {
    test(`gets 404 if its path is ${path}, because paths must match exactly`, async () => {
      assert.equal((await ask(gateway.http, { path })).json.error, 'ROUTE_1');
    });
  }

  const raw: [string, string, number][] = [
    ['bytes that are not HTTP', 'hello\r\n\r\n', 400],
    ['an unknown method', 'BREW / HTTP/1.1\r\nHost: x\r\n\r\n', 400],
    [
      'a body with both Content-Length and chunks',
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
      400,
    ],
    ['headers over 16 KiB', `GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
    [
      'more than 100 headers',
      `GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${'X: y\r\n'.repeat(99)}\r\n`,
      431,
    ],
    ['two Host headers', 'GET / HTTP/1.1\r\nHost: x\r\nHOST: x\r\nConnection: close\r\n\r\n', 400],
    ['a chunked body in HTTP/1.0', 'POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n', 400],
    ['HTTP/0.9', 'GET /v1/get/games\r\n\r\n', 400],
    ['an HTTP/2 connection preface', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
    ['no Host header', 'GET /v1/get/games HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
    [
      'a broken chunk',
      'POST /v1/post/fetch HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n',
      400,
    ],
    ['CONNECT', 'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n', 404],
    ['OPTIONS *', 'OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', 404],
  ];
  for (const [what, bytes, status] of raw) {
    test(`gets status ${status} with gzip-compressed JSON for the fault: ${what}`, async () => {
      const { head, body } = await askRaw(gateway.http, bytes);
      assert.match(head, new RegExp(`^HTTP/1\\.1 ${status} `));
      assert.match(head, /Content-Type: application\/json; charset=utf-8/i);
      assert.match(head, /Content-Encoding: gzip/i);
      assert.match(head, /^Date: \w{3}, \d{2} \w{3} \d{4} [\d:]{8} GMT$/im);
      const json = JSON.parse(gunzipSync(body).toString());
      assert.equal(json.error, status === 404 ? 'ROUTE_1' : 'HTTP_1');
      assert.ok(json.message);
      assert.match(head, new RegExp(`X-Request-Id: ${json.request_id}`, 'i'));
    });
  }

  test('gets 405 GET_1 if it is a CONNECT request for a known path', async () => {
    const { head, body } = await askRaw(gateway.http, 'CONNECT /v1/get/games HTTP/1.1\r\nHost: x\r\n\r\n');
    assert.match(head, /^HTTP\/1\.1 405 /);
    assert.equal(JSON.parse(gunzipSync(body).toString()).error, 'GET_1');
  });

  test('gets 405 with GET and HEAD in the header Allow if its path answers both', async () => {
    const answer = await ask(gateway.http, { method: 'POST', path: '/robots.txt' });
    assert.equal(answer.status, 405);
    assert.equal(answer.headers.allow, 'GET, HEAD');
    assert.match(String(answer.json.message), /Only GET and HEAD requests are accepted here/);
  });

  test('is routed by the path in its target if the target is an absolute URL', async () => {
    const { head } = await askRaw(
      gateway.http,
      'PUT http://anywhere.example/v1/get/games?x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
    );
    assert.match(head, /^HTTP\/1\.1 405 /);
  });

  test('is answered normally if its Expect header has an unknown value', async () => {
    const answer = await ask(gateway.http, { path: '/nowhere', headers: { Expect: 'tea' } });
    assert.equal(answer.status, 404);
  });

  test('with an Upgrade header is answered without an upgrade, and the connection is closed afterwards', {
    timeout: 10_000,
  }, async () => {
    const { head } = await askRaw(
      gateway.http,
      'GET /nowhere HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n',
    );
    assert.match(head, /^HTTP\/1\.1 404 /);
    assert.match(head, /Connection: close/i);
  });

  for (const bytes of ['GET /nowhere HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', 'hello\r\n\r\n']) {
    test(`gets an error answer with the security headers if its first line is "${bytes.split('\r\n')[0]}"`, async () => {
      const { head } = await askRaw(gateway.http, bytes);
      assert.match(head, /^X-Content-Type-Options: nosniff$/im);
      assert.match(head, /^Referrer-Policy: no-referrer$/im);
      assert.match(head, /^Content-Security-Policy: default-src 'none'; frame-ancestors 'none'$/im);
      assert.doesNotMatch(head, /^(Server|X-Powered-By|Strict-Transport-Security):/im);
    });
  }

  test('needs no Host header in HTTP/1.0', async () => {
    const { head } = await askRaw(gateway.http, 'GET /nowhere HTTP/1.0\r\n\r\n');
    assert.match(head, /^HTTP\/1\.1 404 /);
  });

  test('can be aborted during its body, and the server still answers later requests', async () => {
    const [host = '', port = ''] = gateway.http.split(':');
    await new Promise<void>(resolve => {
      const socket = connect(Number(port), host, () => {
        socket.write('POST /v1/post/fetch HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{}', () => {
          socket.destroy();
          resolve();
        });
      });
    });
    assert.equal((await askFetch(gateway.http)).status, 200);
  });
});
