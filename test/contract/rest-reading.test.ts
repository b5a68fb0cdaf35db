import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ask, type Question } from '../gateway/ask.ts';
import { type EventsClient, openEvents } from '../gateway/events/open-events.ts';
import { bootstrap } from '../system/stack-settings.ts';
import { type InProcess, startInProcess } from './in-process.ts';
import { credentialHeaders, FETCH } from './rest.ts';
import { createToken, makeRequests, revokeToken } from './tokens.ts';

const SERVER = '127.0.0.1:27960';
const PATH = `/v1/servers/csgo/${SERVER}`;
const paths = ['/v1/servers', '/v1/summary', PATH];

/** Starts a gsq service that tracks one game server. */
async function startTracking(env: Record<string, string>): Promise<InProcess> {
  const service = await startInProcess({ GSQ_ALLOW_TARGETS: '127.0.0.0/8', ...env });
  const body = JSON.stringify({ servers: [{ game_id: 'csgo', servers: [SERVER] }] });
  const headers = { 'Content-Type': 'application/json', ...credentialHeaders(bootstrap) };
  const { status, text } = await ask(service.http, { method: 'POST', path: FETCH, headers, body });
  assert.equal(status, 200, text);
  return service;
}

const short = ({ status, json }: { status: number; json: Record<string, unknown> }) =>
  json.error === undefined ? String(status) : `${status} ${json.error}`;

describe('the read-only REST paths while GSQ_PAGE (public access) is on', () => {
  let service: InProcess;
  before(async () => {
    service = await startTracking({ GSQ_PAGE: 'on' });
  });
  after(() => service.stop());

  it('answer a caller that has no token, and insert no server', async () => {
    for (const path of paths) assert.equal(short(await ask(service.http, { path })), '200', path);
    const other = await ask(service.http, { path: '/v1/servers/csgo/127.0.0.1:27961' });
    assert.equal(short(other), '404 SERVER_1');
    assert.equal((await ask(service.http, { path: '/v1/summary' })).json.servers, 1);
  });

  it('return one server with its game and address, and tell caches how long they may store it', async () => {
    const { json, headers } = await ask(service.http, { path: PATH });
    assert.deepEqual([json.game_id, json.server], ['csgo', SERVER]);
    assert.match(String(headers['cache-control']), /^public, max-age=\d+$/);
    const question: Question = { path: PATH, headers: { 'If-None-Match': String(headers.etag) } };
    assert.equal((await ask(service.http, question)).status, 304);
  });

  it('send an event stream to a client that has no token', async () => {
    const client = await openEvents(service.http, `/v1/events?server=csgo/${SERVER}`);
    assert.equal(client.response.statusCode, 200);
    const text = await client.until(/event:snapshot/);
    assert.match(text, new RegExp(`"server":"${SERVER}"`));
    client.close();
  });

  it('allow an IP address only 20 requests a second without a token, but more with a token', async () => {
    const answers = await Promise.all(
      Array.from({ length: 60 }, () => ask(service.http, { path: '/v1/summary' })),
    );
    const refused = answers.find(({ status }) => status === 429);
    assert.equal(refused?.json.error, 'RATE_1');
    assert.equal(refused?.headers['retry-after'], '1');
    const headers = credentialHeaders(bootstrap);
    assert.equal((await ask(service.http, { path: '/v1/summary', headers })).status, 200);
  });
});

describe('the read-only REST paths while GSQ_PAGE (public access) is off', () => {
  let service: InProcess;
  before(async () => {
    service = await startTracking({});
  });
  after(() => service.stop());

  it('check the token before the query string, also if the request has a body', async () => {
    const request = { method: 'POST', path: '/v1/webhooks?wrong=1', body: '{}' };
    const headers = { 'Content-Type': 'application/json' };
    assert.equal(short(await ask(service.http, { ...request, headers })), '401 AUTH_1');
    const own = { ...headers, ...credentialHeaders(bootstrap) };
    assert.equal(short(await ask(service.http, { ...request, headers: own })), '400 QUERY_1');
  });

  it('refuse requests without a token, and so do the webhook paths', async () => {
    // The token is checked first: a caller without a token does not learn whether its query is valid.
    const wrong = ['/v1/servers?page_size=many', '/v1/events?wrong=1', '/v1/webhooks?wrong=1'];
    for (const path of [...paths, '/v1/events?game=csgo', '/v1/webhooks', ...wrong]) {
      assert.equal(short(await ask(service.http, { path })), '401 AUTH_1', path);
    }
  });

  it('end an event stream when its token is revoked, and refuse a new stream with this token', async () => {
    const token = await createToken(service.internal);
    const path = `/v1/events?server=csgo/${SERVER}`;
    const headers = credentialHeaders(token);
    const client = await openEvents(service.http, path, headers);
    await client.until(/event:snapshot/);
    await revokeToken(service.internal, token.id);
    assert.match(await client.ended, /\nevent:end\nid:\S+\ndata:{"error":"AUTH_3","message":"[^"]+"}\n\n$/);
    assert.equal(short(await ask(service.http, { path, headers })), '401 AUTH_3');
  });

  it('charge one request to the token of the caller, and report the remaining quota', async () => {
    const free = await createToken(service.internal);
    const headers = credentialHeaders(free);
    const first = await ask(service.http, { path: '/v1/summary', headers });
    const second = await ask(service.http, { path: PATH, headers });
    const left = [first, second].map(answer => answer.headers['x-ratelimit-remaining']);
    assert.deepEqual(left, ['1439', '1438']);
    await makeRequests(service.internal, free, 1438);
    const refused = await ask(service.http, { path: '/v1/summary', headers });
    assert.equal(short(refused), '429 QUOTA_1');
    assert.equal(refused.headers['x-ratelimit-remaining'], '0');
  });

  it('report the remaining quota of a token with each new event stream, and with the refusal of the 21st stream', async () => {
    const headers = credentialHeaders(await createToken(service.internal));
    const path = `/v1/events?server=csgo/${SERVER}`;
    const streams: EventsClient[] = [];
    for (let n = 0; n < 20; n++) streams.push(await openEvents(service.http, path, headers));
    const left = streams.map(({ response }) => Number(response.headers['x-ratelimit-remaining']));
    assert.deepEqual(
      left,
      left.map((_, n) => 1439 - n),
    );
    const refused = await ask(service.http, { path, headers });
    assert.deepEqual([short(refused), refused.headers['x-ratelimit-remaining']], ['429 RATE_1', '1420']);
    for (const stream of streams) stream.close();
  });

  it('search the allow-list of a token for the address of the caller, not for the address of the gateway', async () => {
    const elsewhere = await createToken(service.internal, { allowIps: ['192.0.2.1'] });
    const headers = { ...credentialHeaders(elsewhere), 'X-GSQ-Caller-Address': '192.0.2.1' };
    assert.equal(short(await ask(service.http, { path: '/v1/summary', headers })), '403 AUTH_4');
  });
});

describe('the read-only REST paths behind a proxy', () => {
  let service: InProcess;
  before(async () => {
    service = await startTracking({ GSQ_TRUST_PROXY: '1' });
  });
  after(() => service.stop());

  it('compare the allow-list of a token with the address that the proxy reports', async () => {
    const token = await createToken(service.internal, { allowIps: ['192.0.2.1'] });
    const from = async (address: string) => {
      const headers = { ...credentialHeaders(token), 'X-Forwarded-For': address };
      return short(await ask(service.http, { path: '/v1/summary', headers }));
    };
    assert.deepEqual([await from('192.0.2.1'), await from('192.0.2.2')], ['200', '403 AUTH_4']);
  });
});
