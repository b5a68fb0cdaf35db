import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Cors } from '../../../gateway/http/cors.ts';
import { ConfigError } from '../../../runtime/config.ts';
import { ask, askFetch } from '../ask.ts';
import { runGateway, withGateway } from '../running-gateway.ts';

const ORIGIN = 'https://example.com';
const preflight = {
  'Access-Control-Request-Method': 'POST',
  'Access-Control-Request-Headers': 'content-type,x-api-token',
};

function askPreflight(address: string, headers: Record<string, string>) {
  return ask(address, { method: 'OPTIONS', path: '/v1/post/fetch', headers });
}

describe('a gateway that allows one CORS origin', () => {
  const { core, gateway } = withGateway({ GSQ_CORS_ORIGINS: ORIGIN });

  test('answers 204 to a preflight request for a fetch, and allows the X-Api-Token header', async () => {
    const answer = await askPreflight(gateway.http, { Origin: ORIGIN, ...preflight });
    assert.equal(answer.status, 204);
    assert.equal(answer.bytes.length, 0);
    assert.equal(answer.headers['access-control-allow-origin'], ORIGIN);
    assert.equal(answer.headers['access-control-allow-methods'], 'POST');
    const allowed =
      answer.headers['access-control-allow-headers']?.toString().toLowerCase().split(', ') ?? [];
    for (const name of ['content-type', 'x-api-token', 'x-api-token-type', 'x-api-token-email']) {
      assert.ok(allowed.includes(name), name);
    }
    assert.equal(answer.headers.vary, 'Accept-Encoding, Origin');
    assert.equal(core.calls.length, 0);
  });

  test('allows pages of this origin to read answers and errors, including their rate limit headers', async () => {
    for (const question of [{}, { body: 'x' }, { method: 'PUT' }]) {
      const answer = await askFetch(gateway.http, { ...question, headers: { Origin: ORIGIN } });
      assert.equal(answer.headers['access-control-allow-origin'], ORIGIN);
      assert.match(answer.headers['access-control-expose-headers']?.toString() ?? '', /RateLimit-Policy/);
    }
  });

  test('answers 405 without CORS headers to a preflight request whose origin is different or missing', async () => {
    for (const headers of [{ ...preflight, Origin: 'https://evil.example' }, preflight]) {
      const answer = await askPreflight(gateway.http, headers);
      assert.equal(answer.status, 405);
      assert.equal(answer.json.error, 'POST_1');
      assert.equal(answer.headers['access-control-allow-origin'], undefined);
      assert.equal(answer.headers.vary, 'Accept-Encoding, Origin');
    }
  });

  test('answers 405 to an OPTIONS request that is not a preflight', async () => {
    assert.equal((await askPreflight(gateway.http, { Origin: ORIGIN })).status, 405);
  });

  test('refuses a preflight request for the game catalog with the error GET_1 (wrong method)', async () => {
    const answer = await ask(gateway.http, {
      method: 'OPTIONS',
      path: '/v1/get/games',
      headers: { Origin: ORIGIN, 'Access-Control-Request-Method': 'GET' },
    });
    assert.equal(answer.json.error, 'GET_1');
  });
});

describe('a gateway that allows all CORS origins', () => {
  const { gateway } = withGateway({ GSQ_CORS_ORIGINS: '*' });

  test('answers a preflight request from any origin with Access-Control-Allow-Origin: *', async () => {
    const answer = await askPreflight(gateway.http, { Origin: 'https://any.example', ...preflight });
    assert.equal(answer.status, 204);
    assert.equal(answer.headers['access-control-allow-origin'], '*');
  });

  test('sends Access-Control-Allow-Origin: * even if the request has no Origin, because caches use the answer for web pages', async () => {
    const { headers } = await ask(gateway.http, { path: '/robots.txt' });
    assert.equal(headers['access-control-allow-origin'], '*');
    assert.equal(headers.vary, 'Accept-Encoding');
  });
});

describe('a gateway without CORS origins', () => {
  const { gateway } = withGateway();

  test('answers 405 POST_1 to a preflight request', async () => {
    const answer = await askPreflight(gateway.http, { Origin: ORIGIN, ...preflight });
    assert.equal(answer.status, 405);
    assert.equal(answer.json.error, 'POST_1');
    assert.equal(answer.headers.allow, 'POST');
    assert.equal(answer.headers.vary, 'Accept-Encoding');
  });
});

describe('the setting GSQ_CORS_ORIGINS', () => {
  for (const text of [
    'notanorigin',
    'example.com',
    'example.com:8080',
    'null',
    'https://',
    'https://example.com/path',
    'https://example.com?x',
    'https://user@example.com',
    'https://*.example.com',
    'https://exa mple.com',
    'https://example.com:99999',
  ]) {
    test(`cannot contain "${text}", because it is not an origin`, () => {
      const message = `GSQ_CORS_ORIGINS: "${text}" is not an origin; write https://example.com, or * for all`;
      assert.throws(() => new Cors([ORIGIN, text]), new ConfigError(message));
    });
  }

  test('prevents the start of the gateway if it contains an invalid origin', async () => {
    await assert.rejects(runGateway('127.0.0.1:1', { GSQ_CORS_ORIGINS: 'notanorigin' }), ConfigError);
  });

  for (const [written, sent] of [
    ['HTTPS://Example.COM', 'https://example.com'],
    ['https://example.com/', 'https://example.com'],
    ['https://example.com:443', 'https://example.com'],
    ['http://example.com:8080', 'http://example.com:8080'],
    ['http://[::1]:3000', 'http://[::1]:3000'],
    ['https://münchen.example', 'https://xn--mnchen-3ya.example'],
    ['chrome-extension://abcdef', 'chrome-extension://abcdef'],
  ] as const) {
    test(`allows the origin ${sent} if the setting is "${written}"`, async () => {
      const one = await runGateway('127.0.0.1:1', { GSQ_CORS_ORIGINS: written });
      const answer = await askPreflight(one.http, { Origin: sent, ...preflight });
      await one.running.drain();
      assert.equal(answer.status, 204);
    });
  }
});
