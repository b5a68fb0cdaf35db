import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ask, credentials } from '../ask.ts';
import { withGateway } from '../running-gateway.ts';

describe('a REST request to the core', () => {
  const { core, gateway } = withGateway({ GSQ_CORS_ORIGINS: 'https://a.example' });
  /** Sends a GET request to the gateway. Returns the answer, and the last call that the core received. */
  async function get(path: string, headers: Record<string, string> = {}) {
    core.json.calls.length = 0;
    const answer = await ask(gateway.http, { path, headers });
    return { answer, call: core.json.calls[0] };
  }

  const paths: [string, string, Record<string, unknown>][] = [
    ['/v1/servers/rust/192.0.2.1:28015', 'GetServerJson', { gameId: 'rust', server: '192.0.2.1:28015' }],
    [
      '/v1/servers/rust/[2001:db8::1]:28015',
      'GetServerJson',
      { gameId: 'rust', server: '[2001:db8::1]:28015' },
    ],
    [
      '/v1/servers/rust/%5B2001:db8::1%5D%3A28015',
      'GetServerJson',
      { gameId: 'rust', server: '[2001:db8::1]:28015' },
    ],
    ['/v1/servers/a%2Fb/%C3%A9%00:1', 'GetServerJson', { gameId: 'a/b', server: 'é\0:1' }],
    ['/v1/servers/__proto__/constructor', 'GetServerJson', { gameId: '__proto__', server: 'constructor' }],
    ['/v1/servers/{game_id}/{server}', 'GetServerJson', { gameId: '{game_id}', server: '{server}' }],
    ['/v1/servers', 'ListServersJson', { game: '', pageSize: 0, q: '' }],
    [
      '/v1/servers?game=rust&q=two+words%21&page_size=4294967295&password=false&players_min=0',
      'ListServersJson',
      { game: 'rust', q: 'two words!', pageSize: 4294967295, password: false, playersMin: 0 },
    ],
    ['/v1/summary?game=', 'GetSummaryJson', { game: '' }],
    ['/v1/status', 'GetStatusJson', {}],
    [
      '/v1/servers/rust/a.example:1/history?from=2026-11-24T18:00:00.5Z&to=2026-11-24T20:00:00%2B01:00&step=60s',
      'GetHistoryJson',
      {
        server: 'a.example:1',
        from: { seconds: 1795543200, nanos: 500_000_000 },
        to: { seconds: 1795546800, nanos: 0 },
        step: '60s',
      },
    ],
    ['/v1/servers/rust/a.example:1/uptime?window=24h,7d', 'GetUptimeJson', { window: '24h,7d' }],
    ['/v1/webhooks/wh_1/deliveries', 'ListDeliveriesJson', { id: 'wh_1' }],
  ];
  for (const [path, method, fields] of paths) {
    it(`calls ${method} with the parameters in the path ${path}`, async () => {
      const { answer, call } = await get(path);
      assert.equal(answer.status, 200, answer.text);
      assert.equal(call?.method, method);
      const request = Object.fromEntries(Object.keys(fields).map(key => [key, call?.request[key]]));
      assert.deepEqual(request, fields);
    });
  }

  const badQueries: [string, string, RegExp][] = [
    ['/v1/servers?page_size=-1', 'page_size', /whole number/],
    ['/v1/servers?page_size=4294967296', 'page_size', /whole number/],
    ['/v1/servers?page_size=', 'page_size', /whole number/],
    ['/v1/servers?page_size=1&page_size=2', 'page_size', /more than once/],
    ['/v1/servers?password=yes', 'password', /true or false/],
    ['/v1/servers?statsu=online', 'statsu', /no parameter of this path; it has game, status/],
    ['/v1/servers?gameId=rust', 'gameId', /no parameter/],
    ['/v1/servers?=1', '', /no parameter/],
    ['/v1/servers/rust/a:1?game_id=csgo', 'game_id', /no parameter/],
    ['/v1/servers/rust/a:1/history?from=yesterday', 'from', /a time such as/],
    ['/v1/servers/rust/a:1/history?to=2026-11-24T20:00:00+01:00', 'to', /%2B/],
    ['/v1/servers/rust/a:1/history?to=2026-13-24T20:00:00Z', 'to', /a time such as/],
  ];
  for (const [path, where, why] of badQueries) {
    it(`gets 400 QUERY_1 if the path is ${path}`, async () => {
      const { answer, call } = await get(path);
      assert.equal(`${answer.status} ${answer.json.error}`, '400 QUERY_1');
      assert.equal(call, undefined);
      const [first] = answer.json.details as { path: string; message: string }[];
      assert.equal(first?.path, where);
      assert.match(first?.message ?? '', why);
    });
  }

  it('gets an error that lists at most 20 faults of the query and truncates long parameter names', async () => {
    const query = Array.from({ length: 100 }, (_, i) => `${'x'.repeat(100)}${i}=1`).join('&');
    const { answer } = await get(`/v1/summary?${query}`);
    const details = answer.json.details as { path: string }[];
    assert.deepEqual([details.length, details[0]?.path.length], [20, 64]);
  });

  it('gets 404 ROUTE_1 if the path cannot be decoded or a path variable is empty', async () => {
    for (const path of [
      '/v1/servers/%',
      '/v1/servers/rust/%ff',
      '/v1/servers//a:1',
      '/v1/servers/rust/a:1/',
      '/V1/servers',
    ]) {
      const { answer } = await get(path);
      assert.equal(`${answer.status} ${answer.json.error}`, '404 ROUTE_1', path);
    }
  });

  it('gets 405 ROUTE_2 with the allowed methods if the path does not support the HTTP method', async () => {
    for (const [method, path, allow] of [
      ['POST', '/v1/servers', 'GET'],
      ['HEAD', '/v1/summary', 'GET'],
      ['PUT', '/v1/webhooks', 'POST, GET'],
      ['PATCH', '/v1/webhooks/wh_1?x=1', 'GET, DELETE'],
      ['GET', '/v1/webhooks/wh_1/test', 'POST'],
    ] as const) {
      const answer = await ask(gateway.http, { method, path });
      assert.equal(answer.status, 405, path);
      assert.equal(answer.headers.allow, allow, path);
      if (method !== 'HEAD') assert.equal(answer.json.error, 'ROUTE_2');
    }
  });

  it('is allowed from web pages of a configured CORS origin', async () => {
    const headers = { Origin: 'https://a.example', 'Access-Control-Request-Method': 'DELETE' };
    const preflight = await ask(gateway.http, { method: 'OPTIONS', path: '/v1/webhooks/wh_1', headers });
    assert.equal(preflight.status, 204);
    assert.equal(preflight.headers['access-control-allow-methods'], 'GET, DELETE');
    const { answer } = await get('/v1/summary', { Origin: 'https://a.example' });
    assert.equal(answer.headers['access-control-allow-origin'], 'https://a.example');
  });

  it('passes the credentials, the address, the web page and the request id of the caller to the core', async () => {
    const { answer, call } = await get('/v1/summary', {
      ...credentials,
      Referer: 'https://b.example/page',
      'X-Request-Id': 'a-request',
    });
    assert.equal(answer.headers['x-request-id'], 'a-request');
    const sent = Object.fromEntries(
      [
        'x-api-token',
        'x-api-token-type',
        'x-api-token-email',
        'x-gsq-caller-address',
        'x-gsq-caller-domain',
        'x-request-id',
      ].map(key => [key, call?.metadata.get(key)[0]]),
    );
    assert.deepEqual(sent, {
      'x-api-token': 'a-token',
      'x-api-token-type': 'FREE',
      'x-api-token-email': 'a@b.c',
      'x-gsq-caller-address': '127.0.0.1',
      'x-gsq-caller-domain': 'b.example',
      'x-request-id': 'a-request',
    });
  });

  it('carries the real address of the caller, even if the caller sends a false address', async () => {
    const { answer, call } = await get('/v1/summary', {
      'X-API-Token': 'caf\u00e9',
      'X-GSQ-Caller-Address': '192.0.2.9',
      'X-GSQ-Repeated': '1',
    });
    assert.equal(answer.status, 200);
    assert.deepEqual(call?.metadata.get('x-api-token'), ['caf?']);
    assert.deepEqual(call?.metadata.get('x-gsq-caller-address'), ['127.0.0.1']);
    assert.deepEqual(call?.metadata.get('x-gsq-repeated'), []);
  });
});
