import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, test } from 'node:test';
import { deflateSync, gunzipSync, gzipSync } from 'node:zlib';
import { ServiceError } from '../../../proto/service-error.ts';
import { ask, askFetch, credentials, oneServer } from '../ask.ts';
import { withGateway } from '../running-gateway.ts';
import { allowances, meta, payload, refusing } from '../scripted-core.ts';

describe('POST fetch through the gateway', () => {
  const { core, gateway } = withGateway();

  test('sends credentials, caller, request id, groups and wait time to the core', async () => {
    await askFetch(gateway.http, {
      headers: { 'X-Request-Id': 'mine-1', Origin: 'https://example.com', Prefer: 'wait=2' },
    });
    const [call] = core.calls;
    assert.deepEqual(call?.credentials, { token: 'a-token', tier: 'FREE', email: 'a@b.c' });
    assert.deepEqual(call?.caller, { address: '127.0.0.1', domain: 'example.com' });
    assert.equal(call?.requestId, 'mine-1');
    assert.deepEqual(call?.fetch, {
      servers: [{ gameId: 'csgo', servers: ['192.0.2.1:27015'] }],
      waitMs: 2000,
    });
  });

  test('sends missing credentials to the core as empty strings', async () => {
    await ask(gateway.http, {
      method: 'POST',
      path: '/v1/post/fetch',
      headers: { 'Content-Type': 'application/json' },
      body: oneServer,
    });
    assert.deepEqual(core.calls[0]?.credentials, { token: '', tier: '', email: '' });
  });

  test('answers with a JSON object that has a payload for each address, and _meta at the end', async () => {
    const keys = ['b:2', '1', '__proto__', 'constructor', 'q"uo\\te', 'ünï:1', '\u2028'];
    const body = JSON.stringify({ servers: [{ game_id: 'csgo', servers: keys }] });
    const answer = await askFetch(gateway.http, { body });
    assert.equal(answer.status, 200);
    const expected = keys.map(key => `${JSON.stringify(key)}:${payload}`).join(',');
    assert.equal(answer.text, `{${expected},"_meta":${meta}}`);
    assert.ok(Object.hasOwn(answer.json, '__proto__'));
  });

  test('answers with only _meta if the request has no address', async () => {
    const answer = await askFetch(gateway.http, { body: '{"servers":[]}' });
    assert.equal(answer.text, `{"_meta":${meta}}`);
  });

  test('answers with the headers for JSON, gzip, length, Vary, request id, ETag and rate limits', async () => {
    const { headers, bytes } = await askFetch(gateway.http);
    assert.equal(headers['content-type'], 'application/json; charset=utf-8');
    assert.equal(headers['content-encoding'], 'gzip');
    assert.equal(headers['content-length'], String(bytes.length));
    assert.equal(headers.vary, 'Accept-Encoding');
    assert.match(headers['x-request-id']?.toString() ?? '', /^[0-9a-f-]{36}$/);
    assert.match(headers.etag ?? '', /^W\/"/);
    assert.equal(headers['ratelimit-policy'], '"burst";q=50;w=1, "day";q=1440;w=86400');
    assert.equal(headers.ratelimit, '"burst";r=49;t=1, "day";r=1400;t=77');
    assert.equal(headers['x-ratelimit-limit'], '50');
    assert.equal(headers['x-ratelimit-remaining'], '49');
    assert.equal(headers['x-ratelimit-reset'], '1');
    assert.equal(headers['x-powered-by'], undefined);
    assert.equal(headers['access-control-allow-origin'], undefined);
  });

  test('answers without compression if the request has Accept-Encoding: identity', async () => {
    const plain = await askFetch(gateway.http, { headers: { 'Accept-Encoding': 'identity' } });
    assert.equal(plain.headers['content-encoding'], undefined);
    assert.equal(plain.headers.vary, 'Accept-Encoding');
    const compressed = await askFetch(gateway.http);
    assert.deepEqual(gunzipSync(compressed.bytes), plain.bytes);
  });

  test('requests a compressed reply from the core only if the caller accepts gzip', async () => {
    const asked: [string | undefined, boolean][] = [
      [undefined, true],
      ['gzip', true],
      ['br', true],
      ['gzip;q=0', false],
      ['identity', false],
      ['', false],
    ];
    for (const [encoding] of asked) {
      const headers = encoding === undefined ? {} : { 'Accept-Encoding': encoding };
      assert.equal((await askFetch(gateway.http, { headers })).status, 200);
    }
    assert.deepEqual(
      core.calls.map(({ acceptGzip }) => acceptGzip),
      asked.map(([, gzip]) => gzip),
    );
  });

  test('sends a reply that the core compressed to the caller unchanged, with the usual headers', async () => {
    const plain = await askFetch(gateway.http);
    // The gateway never uses this compression level, so the test can recognise the compressed body of the core.
    const body = gzipSync(plain.text, { level: 0 });
    core.script = () => ({ allowances, fetched: { body, gzipped: true } });
    const { status, headers, bytes, text } = await askFetch(gateway.http);
    assert.equal(status, 200);
    assert.deepEqual(bytes, body);
    assert.equal(text, plain.text);
    const { date: _, 'x-request-id': __, etag: ___, 'content-length': length, ...rest } = headers;
    assert.equal(length, String(body.length));
    for (const [name, value] of Object.entries(rest)) assert.equal(value, plain.headers[name], name);
    assert.equal(rest['content-encoding'], 'gzip');
    assert.equal(rest.vary, 'Accept-Encoding');
  });

  test('answers a fetch of 1000 addresses completely', async () => {
    const servers = Array.from({ length: 1000 }, (_, i) => `192.0.2.1:${i + 1}`);
    const answer = await askFetch(gateway.http, {
      body: JSON.stringify({ servers: [{ game_id: 'csgo', servers }] }),
    });
    assert.deepEqual(Object.keys(answer.json), [...servers, '_meta']);
  });

  test('answers 304 without a body if If-None-Match contains the ETag of the answer', async () => {
    const { headers } = await askFetch(gateway.http);
    const again = await askFetch(gateway.http, { headers: { 'If-None-Match': headers.etag } });
    assert.equal(again.status, 304);
    assert.equal(again.bytes.length, 0);
    assert.equal(again.headers.etag, headers.etag);
    assert.equal(again.headers['x-ratelimit-limit'], '50');
    const other = await askFetch(gateway.http, { headers: { 'If-None-Match': '"other"' } });
    assert.equal(other.status, 200);
  });

  test('sends the time of Prefer: wait to the core, at most five seconds, and confirms it in Preference-Applied', async () => {
    const { headers } = await askFetch(gateway.http, { headers: { Prefer: 'wait=60' } });
    assert.equal(headers['preference-applied'], 'wait=5');
    assert.equal(core.calls[0]?.fetch?.waitMs, 5000);
    const without = await askFetch(gateway.http);
    assert.equal(without.headers['preference-applied'], undefined);
    assert.equal(core.calls[1]?.fetch?.waitMs, 0);
  });

  test('returns a valid X-Request-Id unchanged, and replaces an invalid one', async () => {
    const sane = await askFetch(gateway.http, { headers: { 'X-Request-Id': 'A-z_0.9' } });
    assert.equal(sane.headers['x-request-id'], 'A-z_0.9');
    for (const id of ['has space', 'x'.repeat(65), 'a,b', '"q"']) {
      const answer = await askFetch(gateway.http, { headers: { 'X-Request-Id': id } });
      assert.match(answer.headers['x-request-id']?.toString() ?? '', /^[0-9a-f-]{36}$/);
    }
  });

  test('ignores query parameters', async () => {
    const answer = await askFetch(gateway.http, { path: '/v1/post/fetch?token=x&servers=1' });
    assert.equal(answer.status, 200);
  });

  test('accepts request bodies with the Content-Encoding gzip, deflate or identity', async () => {
    for (const [coding, body] of [
      ['gzip', gzipSync(oneServer)],
      ['deflate', deflateSync(oneServer)],
      ['identity', Buffer.from(oneServer)],
    ] as const) {
      const answer = await askFetch(gateway.http, { body, headers: { 'Content-Encoding': coding } });
      assert.equal(answer.status, 200, coding);
    }
  });

  test('accepts a Content-Type with the charset UTF-8, in upper or lower case', async () => {
    const headers = { 'Content-Type': 'Application/JSON; Charset="UTF-8"' };
    assert.equal((await askFetch(gateway.http, { headers })).status, 200);
  });

  describe('the errors', () => {
    const big = Buffer.alloc(1024 * 1024 + 1, 0x20);
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024));

    for (const method of ['GET', 'HEAD', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE', 'QUERY']) {
      test(`are 405 POST_1 for the method ${method}, without a check of the credentials`, async () => {
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
      test(`are ${status} ${code} for ${what}, with rate limit headers`, async () => {
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

      test(`are 401 instead of ${status} ${code} for ${what} if the caller is not authenticated`, async () => {
        core.script = refusing(new ServiceError('AUTH_3', 'No.'));
        const answer = await askFetch(gateway.http, question);
        assert.equal(answer.status, 401);
        assert.equal(answer.json.error, 'AUTH_3');
        assert.equal(answer.headers.ratelimit, undefined);
        assert.equal(core.calls.length, 1);
      });
    }

    test('list the path of each fault in the body if the code is POST_2', async () => {
      const { json } = await askFetch(gateway.http, {
        body: '{"servers":[{"game_id":1,"servers":["a:1",2]}]}',
      });
      assert.deepEqual(json.details, [
        { path: 'servers[0].game_id', message: 'must be a string, not a number' },
        { path: 'servers[0].servers[1]', message: 'must be a string, not a number' },
      ]);
    });

    test('are 413 before a large body has arrived, and the connection is not reset while the caller still sends it', async () => {
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

    test('close the connection after the status 413', async () => {
      const { headers } = await askFetch(gateway.http, { body: big });
      assert.equal(headers.connection, 'close');
    });

    for (const [code, status] of [
      ['AUTH_1', 401],
      ['AUTH_2', 401],
      ['AUTH_3', 401],
      ['AUTH_4', 403],
      ['POST_3', 400],
    ] as const) {
      test(`are ${status} ${code} if the core answers with ${code}`, async () => {
        core.script = refusing(new ServiceError(code, `said ${code}`));
        const answer = await askFetch(gateway.http);
        assert.equal(answer.status, status);
        assert.deepEqual(answer.json, {
          error: code,
          message: `said ${code}`,
          request_id: answer.headers['x-request-id'],
        });
        assert.equal(answer.headers['retry-after'], undefined);
      });
    }

    test('contain quota and used as integers, Retry-After and rate limit headers if the error is 429 QUOTA_1', async () => {
      const facts = { quota: '1440', used: '1440' };
      core.script = refusing(
        new ServiceError('QUOTA_1', 'used up', { facts, retryAfterSeconds: 77 }),
        allowances,
      );
      const answer = await askFetch(gateway.http);
      assert.equal(answer.status, 429);
      assert.equal(answer.headers['retry-after'], '77');
      assert.equal(answer.headers['x-ratelimit-limit'], '50');
      assert.deepEqual(answer.json, {
        error: 'QUOTA_1',
        message: 'used up',
        quota: 1440,
        used: 1440,
        request_id: answer.headers['x-request-id'],
      });
    });

    test('contain Retry-After if the error is 429 RATE_1, even if the core sends no delay', async () => {
      core.script = refusing(new ServiceError('RATE_1', 'slow down'));
      const answer = await askFetch(gateway.http);
      assert.equal(answer.status, 429);
      assert.equal(answer.headers['retry-after'], '1');
    });

    test('do not contain the message of the core if the error is 500 INTERNAL_1', async () => {
      core.script = () => ({
        error: { code: 13, message: 'TypeError at /srv/core/x.ts 10.0.0.1:50052', details: [] },
      });
      const answer = await askFetch(gateway.http);
      assert.equal(answer.status, 500);
      assert.equal(answer.json.error, 'INTERNAL_1');
      assert.doesNotMatch(answer.text, /TypeError|srv|50052/);
    });

    test('are 500 INTERNAL_1 if the core answers a fetch as if it was a credential check', async () => {
      core.script = () => ({ checked: {} });
      const answer = await askFetch(gateway.http);
      assert.equal(answer.status, 500);
      assert.equal(answer.json.request_id, answer.headers['x-request-id']);
    });

    test('are not compressed if the caller refuses gzip', async () => {
      const headers = { ...credentials, 'Accept-Encoding': 'gzip;q=0' };
      const answer = await ask(gateway.http, { method: 'PUT', path: '/v1/post/fetch', headers });
      assert.equal(answer.headers['content-encoding'], undefined);
      assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8');
      assert.equal(JSON.parse(answer.bytes.toString()).error, 'POST_1');
    });
  });
});
