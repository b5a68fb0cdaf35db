import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { deflateSync, gzipSync } from 'node:zlib';
import { ask, askFetch, oneServer } from '../ask.ts';
import { withGateway } from '../running-gateway.ts';

describe('POST /v1/post/fetch', () => {
  const { core, gateway } = withGateway();

  test('sends the credentials, the caller, the request id, the servers grouped by game, and the wait time to the core', async () => {
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

  test('allows the core to compress its reply only if the caller accepts gzip', async () => {
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

  test('limits the wait time (header `Prefer`) to five seconds, and reports it in `Preference-Applied`', async () => {
    const { headers } = await askFetch(gateway.http, { headers: { Prefer: 'wait=60' } });
    assert.equal(headers['preference-applied'], 'wait=5');
    assert.equal(core.calls[0]?.fetch?.waitMs, 5000);
    const without = await askFetch(gateway.http);
    assert.equal(without.headers['preference-applied'], undefined);
    assert.equal(core.calls[1]?.fetch?.waitMs, 0);
  });

  test('ignores query parameters', async () => {
    const answer = await askFetch(gateway.http, { path: '/v1/post/fetch?token=x&servers=1' });
    assert.equal(answer.status, 200);
  });

  test('accepts a request body with the Content-Encoding gzip, deflate or identity', async () => {
    for (const [coding, body] of [
      ['gzip', gzipSync(oneServer)],
      ['deflate', deflateSync(oneServer)],
      ['identity', Buffer.from(oneServer)],
    ] as const) {
      const answer = await askFetch(gateway.http, { body, headers: { 'Content-Encoding': coding } });
      assert.equal(answer.status, 200, coding);
    }
  });

  test('accepts a Content-Type with the charset UTF-8, in any letter case', async () => {
    const headers = { 'Content-Type': 'Application/JSON; Charset="UTF-8"' };
    assert.equal((await askFetch(gateway.http, { headers })).status, 200);
  });
});
