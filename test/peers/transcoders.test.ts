/**
 * Tests that the transcoders Envoy and grpc-gateway answer like gsq's gateway, for the game catalog and for fetches of
 * servers. docs/grpc.md explains the expected differences.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { addresses, validBody } from '../contract/fetch-requests.ts';
import type { InProcess } from '../contract/in-process.ts';
import { restText } from '../contract/plain-rest-answer.ts';
import { RandomRequests } from '../contract/random-requests.ts';
import { RandomServers } from '../contract/random-servers.ts';
import { assertSameText, startWithServers } from '../contract/random-service.ts';
import { pairsOf } from '../contract/requested-pairs.ts';
import { FETCH, GAMES, type Group } from '../contract/rest.ts';
import { createToken, makeRequests } from '../contract/tokens.ts';
import { ask as askPlainly, type Question } from '../gateway/ask.ts';
import { until } from '../system/until.ts';
import { ComparedServers, rpcErrorIn, statusOf } from './compared-servers.ts';
import { type HttpAnswer, send } from './transcoder.ts';
import { differences, fetchOf, headersOf, serverNames } from './transcoder-requests.ts';

const JSON_TYPE = 'application/json; charset=utf-8';

const random = new RandomServers();
const requests = new RandomRequests(random);

const bodyWith = (groups: readonly Group[]): string => JSON.stringify({ servers: groups });

describe('a REST-to-gRPC transcoder (Envoy or grpc-gateway)', () => {
  let service: InProcess;
  let isStopped = false;
  let servers: ComparedServers;
  const ask = (question: Question) => servers.ask(question);
  before(async () => {
    service = await startWithServers(random);
    servers = await ComparedServers.start(service);
  });
  after(async () => {
    await servers.stop();
    if (!isStopped) await service.stop();
  });

  it('returns the same bytes as the gateway for GET /v1/get/games', async () => {
    for (const path of [GAMES, `${GAMES}?nothing=1`]) {
      const { gateway, ...others } = await ask({ path });
      assert.equal(gateway.status, 200);
      for (const [name, answer] of Object.entries(others)) {
        assert.deepEqual([answer.status, answer.headers.get('content-type')], [200, JSON_TYPE], name);
        assertSameText(answer.body, gateway.body);
      }
    }
  });

  it('returns the same bytes as the gateway for fetches of tracked, new and invalid servers', async () => {
    for (let round = 0; round < 60; round++) {
      const groups = requests.groups();
      const request = fetchOf(bodyWith(groups));
      // With the first request, gsq begins to track the servers. After that, the gateway and both transcoders must send
      // the same answer.
      const first = servers.addressOf(serverNames[round % serverNames.length] ?? 'gateway');
      const inserting = await send(first, request);
      assertSameText(inserting.body, restText(pairsOf(groups, random), random.clock.ms));
      const { gateway, ...others } = await ask(request);
      assert.equal(gateway.status, 200);
      for (const [name, answer] of Object.entries(others)) {
        assert.deepEqual([answer.status, answer.headers.get('content-type')], [200, JSON_TYPE], name);
        assertSameText(answer.body, gateway.body);
      }
    }
  });

  it('returns the same bytes as the gateway for a fetch of a thousand servers', async () => {
    const request = fetchOf(bodyWith([{ game_id: 'csgo', servers: requests.addresses(1000) }]));
    await send(service.http, request);
    const { gateway, ...others } = await ask(request);
    for (const answer of Object.values(others)) assertSameText(answer.body, gateway.body);
  });

  it('returns the status, message and error code of the gateway for a refused fetch', async () => {
    const tooMany = bodyWith([{ game_id: 'csgo', servers: addresses(1001) }]);
    const excluded = await createToken(service.internal, { allowIps: ['10.0.0.0/8'] });
    const used = await createToken(service.internal);
    await makeRequests(service.internal, used, 1440);
    const refusals: [string, Question][] = [
      ['401 AUTH_1', fetchOf(validBody, { headers: { 'x-api-token': '' } })],
      ['401 AUTH_2', fetchOf(validBody, { headers: { 'x-api-token-type': 'GOLD' } })],
      ['401 AUTH_3', fetchOf(validBody, { headers: { 'x-api-token-email': 'a@b.c' } })],
      ['403 AUTH_4', fetchOf(validBody, { headers: headersOf(excluded) })],
      ['429 QUOTA_1', fetchOf(validBody, { headers: headersOf(used) })],
      ['400 POST_3', fetchOf(tooMany)],
    ];
    for (const [refusal, request] of refusals) {
      const { gateway, ...others } = await ask(request);
      const { error, message, details } = JSON.parse(gateway.body);
      assert.equal(`${gateway.status} ${error}`, refusal);
      for (const answer of Object.values(others)) {
        assert.deepEqual([answer.status, rpcErrorIn(answer)], [gateway.status, { error, message, details }]);
      }
    }
  });

  for (const [what, question, statuses] of differences) {
    it(`answers ${what} with the expected status, which can differ from that of the gateway`, async () => {
      const answers = Object.entries(await ask(await question(service.internal)));
      assert.deepEqual(
        Object.fromEntries(answers.map(([name, answer]) => [name, statusOf(answer)])),
        statuses,
      );
    });
  }

  it('answers 400 to a fetch with an invalid body, as the gateway of gsq does', async () => {
    for (const body of [
      '{',
      'null',
      '[]',
      '{"servers":[{"game_id":1}]}',
      Buffer.from('{"\xff":1}', 'latin1'),
    ]) {
      const answers = Object.values(await ask(fetchOf(body)));
      assert.deepEqual(answers.map(statusOf), ['400 POST_2', '400 POST_2', '400']);
    }
  });

  it('returns the same JSON as the gateway for a wrong method or an unknown path (only Envoy)', async () => {
    const headers = { 'X-Request-Id': 'a-request' };
    for (const question of [{ method: 'DELETE', path: GAMES }, { path: FETCH }, { path: '/v1' }]) {
      const { gateway, envoy } = await ask({ ...question, headers });
      assert.equal(envoy.headers.get('allow'), gateway.headers.get('allow'));
      assert.equal(envoy.headers.get('content-type'), JSON_TYPE);
      // Envoy adds a line feed at the end of a JSON answer.
      assert.equal(envoy.body, `${gateway.body}\n`);
    }
  });

  it('sends no ETag and no RateLimit-Policy header, but sends the remaining quota in a header', async () => {
    const ofGateway = ['etag', 'ratelimit-policy'];
    const shared = [
      'cache-control',
      'x-request-id',
      'ratelimit',
      'content-encoding',
      'vary',
      'x-content-type-options',
      'content-security-policy',
    ];
    const token = await createToken(service.internal);
    const {
      gateway,
      envoy,
      'grpc-gateway': other,
    } = await ask(fetchOf(validBody, { headers: headersOf(token) }));
    const presentIn = ({ headers }: HttpAnswer) =>
      [...ofGateway, ...shared].filter(name => headers.has(name));
    assert.deepEqual(presentIn(gateway), [...ofGateway, ...shared]);
    assert.deepEqual(presentIn(envoy), shared);
    assert.deepEqual(presentIn(other), []);
    assert.match(envoy.headers.get('ratelimit') ?? '', /^"day";r=1438;/);
    assert.match(other.headers.get('grpc-metadata-ratelimit') ?? '', /^"day";r=1437;/);
  });

  it('never compresses the answer to a request without Accept-Encoding, but the gateway does', async () => {
    const encodings = serverNames.map(async name => {
      const { headers } = await askPlainly(servers.addressOf(name), { path: GAMES });
      return headers['content-encoding'];
    });
    assert.deepEqual(await Promise.all(encodings), ['gzip', undefined, undefined]);
  });

  it('answers 503 while the core is not running', async () => {
    await service.stop();
    isStopped = true;
    for (const name of ['envoy', 'grpc-gateway'] as const) {
      const answer = await until(
        'an answer without the core',
        () => send(servers.addressOf(name), fetchOf(validBody)),
        ({ status }) => status !== 200,
      );
      assert.equal(statusOf(answer), name === 'envoy' ? '503 CORE_1' : '503');
    }
  });
});
