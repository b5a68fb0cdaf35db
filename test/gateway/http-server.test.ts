import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { describe, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { listenHttp } from '../../gateway/http-server.ts';
import { askRaw } from './ask.ts';

const hasty = {
  headersTimeout: 40,
  requestTimeout: 80,
  keepAliveTimeout: 50,
  connectionsCheckingInterval: 10,
};

describe('time limits of a connection', () => {
  for (const [what, bytes] of [
    ['headers that do not end', 'GET / HTTP/1.1\r\nHost: x\r\nX-Slow: '],
    ['a body that does not end', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{'],
  ] as const) {
    test(`408 in gzip JSON for ${what}`, async () => {
      const server = await listenHttp({ host: '127.0.0.1', port: 0 }, request => request.resume(), hasty);
      const { head, body } = await askRaw(`127.0.0.1:${server.endpoint.port}`, bytes);
      assert.match(head, /^HTTP\/1\.1 408 /);
      assert.match(JSON.parse(gunzipSync(body).toString()).message, /did not arrive in time/);
      await server.close(1000);
    });
  }

  test('a connection that stays open is cut when the limit of a close is over', async () => {
    const requests = new EventEmitter();
    const server = await listenHttp({ host: '127.0.0.1', port: 0 }, () => requests.emit('request'));
    const arrived = once(requests, 'request');
    const hanging = askRaw(`127.0.0.1:${server.endpoint.port}`, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await arrived;
    await server.close(50);
    const { body } = await hanging;
    assert.equal(body.length, 0);
  });
});
