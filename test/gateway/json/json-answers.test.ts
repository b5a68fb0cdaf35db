import assert from 'node:assert/strict';
import { request } from 'node:http';
import { beforeEach, describe, it } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { status } from '@grpc/grpc-js';
import { ANSWER_ENCODING_KEY } from '../../../proto/clients.ts';
import { ServiceError } from '../../../proto/service-error.ts';
import { ask, credentials } from '../ask.ts';
import { runGateway, withGateway } from '../running-gateway.ts';

const PATH = '/v1/summary';

describe('the answer to a REST request', () => {
  const { core, gateway } = withGateway({ GSQ_REQUEST_TIMEOUT: '500ms' });
  beforeEach(() => {
    core.json.calls.length = 0;
    core.json.script = () => ({ json: '{"servers":1}' });
  });
  const get = (headers: Record<string, string> = {}, path = PATH) => ask(gateway.http, { path, headers });

  it('contains the JSON of the core, compressed with gzip unless the caller refuses it', async () => {
    const packed = await get();
    assert.equal(packed.headers['content-encoding'], 'gzip');
    assert.equal(gunzipSync(packed.bytes).toString(), '{"servers":1}');
    assert.equal(packed.headers['content-type'], 'application/json; charset=utf-8');
    const plain = await get({ 'Accept-Encoding': 'identity' });
    assert.equal(plain.headers['content-encoding'], undefined);
    assert.equal(plain.bytes.toString(), '{"servers":1}');
  });

  it('contains the gzip bytes of the core unchanged', async () => {
    const packed = gzipSync('{"servers":3}', { level: 9 });
    core.json.script = ({ metadata }) =>
      metadata.get(ANSWER_ENCODING_KEY)[0] === 'gzip'
        ? { json: packed, metadata: { [ANSWER_ENCODING_KEY]: 'gzip', etag: 'W/"x"' } }
        : { json: '{"servers":3}', metadata: { etag: 'W/"x"' } };
    const answer = await get();
    assert.equal(answer.headers['content-encoding'], 'gzip');
    assert.deepEqual(answer.bytes, packed);
    const plain = await get({ 'Accept-Encoding': 'gzip;q=0' });
    assert.equal(plain.headers['content-encoding'], undefined);
    assert.equal(plain.bytes.toString(), '{"servers":3}');
    assert.deepEqual([answer.headers.etag, plain.headers.etag], ['W/"x"', 'W/"x"']);
    assert.equal((await get({ 'If-None-Match': 'W/"x"' })).status, 304);
    const sent = core.json.calls.map(({ metadata }) => metadata.get(ANSWER_ENCODING_KEY)[0]);
    assert.deepEqual(sent, ['gzip', 'identity', 'gzip']);
  });

  it('is 304 without a body if the caller sends the previous entity tag', async () => {
    const { headers } = await get();
    const again = await get({ 'If-None-Match': String(headers.etag) });
    assert.deepEqual([again.status, again.text, again.headers.etag], [304, '', headers.etag]);
    core.json.script = () => ({ json: '{"servers":2}' });
    assert.equal((await get({ 'If-None-Match': String(headers.etag) })).status, 200);
  });

  it('has the entity tag and the Cache-Control of the core, if the core sends them', async () => {
    core.json.script = () => ({
      json: '{}',
      metadata: { etag: 'W/"x"', 'cache-control': 'public, max-age=9' },
    });
    const { headers } = await get();
    assert.deepEqual([headers.etag, headers['cache-control']], ['W/"x"', 'public, max-age=9']);
    assert.equal((await get({ 'If-None-Match': '"x"' })).status, 304);
    core.json.script = () => ({ json: '{}' });
    assert.equal((await get()).headers['cache-control'], 'private, no-cache');
  });

  it('has the rate limit headers of the token, even if the request is refused', async () => {
    const initial = { 'x-gsq-token-id': 'tok_1', 'x-gsq-allowance': 'day;1440;7;86400;60, burst;50;49;1;1' };
    core.json.script = () => ({ json: '{}', metadata: initial });
    const { headers } = await get(credentials);
    assert.equal(headers['ratelimit-policy'], '"day";q=1440;w=86400, "burst";q=50;w=1');
    assert.equal(headers['x-ratelimit-remaining'], '7');
    const error = new ServiceError('QUOTA_1', 'used up', {
      retryAfterSeconds: 60,
      facts: { quota: '1440', used: '1440' },
    });
    core.json.script = () => ({ error, metadata: initial });
    const refused = await get(credentials);
    assert.deepEqual([refused.status, refused.json.error, refused.json.quota], [429, 'QUOTA_1', 1440]);
    assert.deepEqual([refused.headers['retry-after'], refused.headers['x-ratelimit-limit']], ['60', '1440']);
  });

  const errors: [string, ServiceError | { code: status }, string][] = [
    ['SERVER_1 of the core', new ServiceError('SERVER_1', 'not tracked'), '404 SERVER_1'],
    ['HOOK_2 of the core', new ServiceError('HOOK_2', 'ten'), '429 HOOK_2'],
    ['a method that the core does not have', { code: status.UNIMPLEMENTED }, '404 ROUTE_1'],
    ['a wrong internal secret', new ServiceError('AUTH_5', 'another secret'), '503 CORE_1'],
    ['an error without a code of gsq', { code: status.INTERNAL }, '503 CORE_1'],
  ];
  for (const [what, error, expected] of errors) {
    it(`is ${expected} in the error case "${what}"`, async () => {
      core.json.script = () => ({ error });
      const { status: http, json } = await get();
      assert.equal(`${http} ${json.error}`, expected);
    });
  }

  it('has no Retry-After for HOOK_2 (too many webhooks), because waiting does not help', async () => {
    core.json.script = () => ({ error: new ServiceError('HOOK_2', 'ten') });
    assert.equal((await get()).headers['retry-after'], undefined);
  });

  it('is 200 if a read-only call to the core succeeds at the second attempt', async () => {
    let failures = 1;
    core.json.script = () => (failures-- > 0 ? { error: { code: status.UNAVAILABLE } } : { json: '{}' });
    assert.equal((await get()).status, 200);
    failures = 1;
    const changed = await ask(gateway.http, {
      method: 'DELETE',
      path: '/v1/webhooks/wh_1',
      headers: credentials,
    });
    assert.equal(`${changed.status} ${changed.json.error}`, '503 CORE_1');
    assert.equal(changed.headers['retry-after'], '1');
    assert.equal(core.json.calls.length, 3);
  });

  it('is 504 CORE_2 if the core does not answer in time', async () => {
    core.json.script = () => undefined;
    const answer = await get();
    assert.equal(`${answer.status} ${answer.json.error}`, '504 CORE_2');
  });

  it('is 503 CORE_1 with Retry-After if the core cannot be reached', async () => {
    const away = await runGateway('127.0.0.1:1', { GSQ_REQUEST_TIMEOUT: '200ms' });
    const answer = await ask(away.http, { path: PATH });
    assert.equal(`${answer.status} ${answer.json.error}`, '503 CORE_1');
    assert.equal(answer.headers['retry-after'], '1');
    await away.running.drain();
  });

  it('is no longer prepared by the core after the caller has closed the connection', async () => {
    core.json.script = () => undefined;
    const [host, port] = gateway.http.split(':');
    const outgoing = request({ host, port, path: PATH, agent: false }).on('error', () => {});
    outgoing.end();
    await core.until(() => core.json.calls.length === 1);
    outgoing.destroy();
    await core.until(() => core.json.calls[0]?.cancelled === true);
  });
});
