import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { askFetch } from '../ask.ts';
import { allowances, meta, payload } from '../core-scripts.ts';
import { withGateway } from '../running-gateway.ts';

describe('POST /v1/post/fetch', () => {
  const { core, gateway } = withGateway();

  test('answers with a JSON object that contains one payload per address, and _meta at the end', async () => {
    const keys = ['b:2', '1', '__proto__', 'constructor', 'q"uo\\te', 'ünï:1', '\u2028'];
    const body = JSON.stringify({ servers: [{ game_id: 'csgo', servers: keys }] });
    const answer = await askFetch(gateway.http, { body });
    assert.equal(answer.status, 200);
    const expected = keys.map(key => `${JSON.stringify(key)}:${payload}`).join(',');
    assert.equal(answer.text, `{${expected},"_meta":${meta}}`);
    assert.ok(Object.hasOwn(answer.json, '__proto__'));
  });

  test('answers with a JSON object that has only the key _meta if the request contains no address', async () => {
    const answer = await askFetch(gateway.http, { body: '{"servers":[]}' });
    assert.equal(answer.text, `{"_meta":${meta}}`);
  });

  test('answers with Content-Type, Content-Encoding, Content-Length, Vary, X-Request-Id, ETag and rate limit headers', async () => {
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

  test('forwards a gzip body from the core without change, together with the usual headers', async () => {
    const plain = await askFetch(gateway.http);
    // Compresses the body of the core with level 0, which the gateway never uses. So the test notices if the gateway
    // compresses the body again.
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

  test('answers a fetch of 1000 addresses with a payload for each of them', async () => {
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

  test('returns a valid X-Request-Id unchanged, and replaces an invalid one', async () => {
    const sane = await askFetch(gateway.http, { headers: { 'X-Request-Id': 'A-z_0.9' } });
    assert.equal(sane.headers['x-request-id'], 'A-z_0.9');
    for (const id of ['has space', 'x'.repeat(65), 'a,b', '"q"']) {
      const answer = await askFetch(gateway.http, { headers: { 'X-Request-Id': id } });
      assert.match(answer.headers['x-request-id']?.toString() ?? '', /^[0-9a-f-]{36}$/);
    }
  });
});
