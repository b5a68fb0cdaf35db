import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { ServiceError } from '../../../proto/service-error.ts';
import { ask, askFetch, credentials } from '../ask.ts';
import { refusing } from '../core-scripts.ts';
import { withGateway } from '../running-gateway.ts';

describe('POST /v1/post/fetch', () => {
  const { core, gateway } = withGateway();

  describe('an error answer', () => {
    const big = Buffer.alloc(1024 * 1024 + 1, 0x20);
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024));

    for (const method of ['GET', 'HEAD', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE', 'QUERY']) {
      test(`is 405 POST_1 for the method ${method}, even without credentials`, async () => {
        const answer = await ask(gateway.http, { method, path: '/v1/post/fetch' });
        assert.equal(answer.status, 405);
        assert.equal(answer.headers.allow, 'POST');
        assert.equal(answer.headers['content-encoding'], 'gzip');
        if (method !== 'HEAD') assert.equal(answer.json.error, 'POST_1');
        else assert.equal(answer.bytes.length, 0);
        assert.equal(core.calls.length, 0);
      });
    }

    const bad: [string, number, string, Parameters<typeof askFetch>[1]][] = [
      ['a body over 1 MiB', 413, 'POST_5', { body: big }],
      [
        'a chunked body over 1 MiB',
        413,
        'POST_5',
        { body: big, headers: { 'Transfer-Encoding': 'chunked' } },
      ],
      [
        'a compressed body that is over 1 MiB when decompressed',
        413,
        'POST_5',
        { body: bomb, headers: { 'Content-Encoding': 'gzip' } },
      ],
      [
        'a body over 1 MiB with a wrong Content-Type',
        413,
        'POST_5',
        { body: big, headers: { 'Content-Type': 'text/plain' } },
      ],
      ['a wrong Content-Type', 415, 'POST_4', { headers: { 'Content-Type': 'text/plain' } }],
      ['an empty Content-Type', 415, 'POST_4', { headers: { 'Content-Type': '' } }],
      [
        'an unsupported charset',
        415,
        'POST_4',
        { headers: { 'Content-Type': 'application/json; charset=utf-16' } },
      ],
      ['an unsupported Content-Encoding', 415, 'POST_4', { headers: { 'Content-Encoding': 'zstd' } }],
      [
        'a wrong Content-Type and a body that is not JSON',
        415,
        'POST_4',
        { body: '{', headers: { 'Content-Type': 'text/json' } },
      ],
      [
        'a wrong Content-Type and a body that is not gzip, although Content-Encoding is gzip',
        415,
        'POST_4',
        { headers: { 'Content-Type': 'text/plain', 'Content-Encoding': 'gzip' } },
      ],
      ['a body that is not JSON', 400, 'POST_2', { body: '{"servers":' }],
      ['no body', 400, 'POST_2', { body: '' }],
      ['JSON of a wrong shape', 400, 'POST_2', { body: '{"servers":[{"game_id":1,"servers":[]}]}' }],
      [
        'a body that is not gzip, although Content-Encoding is gzip',
        400,
        'POST_2',
        { headers: { 'Content-Encoding': 'gzip' } },
      ],
    ];
    for (const [what, status, code, question] of bad) {
      test(`is ${status} ${code} and has rate limit headers if the request has ${what}`, async () => {
        const answer = await askFetch(gateway.http, question);
        assert.equal(answer.status, status);
        assert.equal(answer.json.error, code);
        assert.equal(answer.json.request_id, answer.headers['x-request-id']);
        assert.equal(answer.headers['x-ratelimit-limit'], '50');
        assert.deepEqual(
          core.calls.map(call => call.action),
          ['check'],
        );
      });

      test(`is 401 if the credentials are wrong, even for a request with ${what}`, async () => {
        core.script = refusing(new ServiceError('AUTH_3', 'No.'));
        const answer = await askFetch(gateway.http, question);
        assert.equal(answer.status, 401);
        assert.equal(answer.json.error, 'AUTH_3');
        assert.equal(answer.headers.ratelimit, undefined);
        assert.equal(core.calls.length, 1);
      });
    }

    test('contains the path of each wrong value in the request body if it is 400 POST_2', async () => {
      const { json } = await askFetch(gateway.http, {
        body: '{"servers":[{"game_id":1,"servers":["a:1",2]}]}',
      });
      assert.deepEqual(json.details, [
        { path: 'servers[0].game_id', message: 'must be a string, not a number' },
        { path: 'servers[0].servers[1]', message: 'must be a string, not a number' },
      ]);
    });

    test('is 413 if Content-Length is more than 1 MiB, even before the caller has sent the whole body', async () => {
      const [host = '', port = ''] = gateway.http.split(':');
      const socket = connect({ host, port: Number(port), allowHalfOpen: true });
      const length = 3 * 1024 * 1024;
      socket.write(`POST /v1/post/fetch HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\n`);
      const [first] = await once(socket, 'data');
      assert.match(String(first), /^HTTP\/1\.1 413 /);
      const ended = once(socket, 'end');
      socket.write(Buffer.alloc(length, 0x20));
      await ended;
      assert.equal(socket.bytesWritten > length, true);
      socket.end();
    });

    test('has the header Connection: close if its status is 413', async () => {
      const { headers } = await askFetch(gateway.http, { body: big });
      assert.equal(headers.connection, 'close');
    });

    test('is not compressed if the caller refuses gzip', async () => {
      const headers = { ...credentials, 'Accept-Encoding': 'gzip;q=0' };
      const answer = await ask(gateway.http, { method: 'PUT', path: '/v1/post/fetch', headers });
      assert.equal(answer.headers['content-encoding'], undefined);
      assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8');
      assert.equal(JSON.parse(answer.bytes.toString()).error, 'POST_1');
    });
  });
});
