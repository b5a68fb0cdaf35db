/**
 * Compares the answers of two transcoders, Envoy and grpc-gateway, with the answers of gsq's gateway. Both transcoders
 * serve the REST paths in proto/gsq.binpb. docs/grpc.md explains each difference that these tests expect.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { addresses, bodyOf, validBody } from '../contract/fetch-requests.ts';
import type { InProcess } from '../contract/in-process.ts';
import { restText } from '../contract/plain-rest-answer.ts';
import { RandomRequests } from '../contract/random-requests.ts';
import { RandomServers } from '../contract/random-servers.ts';
import { assertSameText, startWithServers } from '../contract/random-service.ts';
import { pairsOf } from '../contract/requested-pairs.ts';
import { type Credentials, FETCH, GAMES, type Group } from '../contract/rest.ts';
import { createToken, makeRequests } from '../contract/tokens.ts';
import { ask as askPlainly, type Question } from '../gateway/ask.ts';
import { until } from '../system/until.ts';
import { credentials } from './callers.ts';
import { type HttpAnswer, send, startEnvoy, startGrpcGateway, type Transcoder } from './transcoder.ts';

type ServerName = 'gateway' | 'envoy' | 'grpc-gateway';

const JSON_TYPE = 'application/json; charset=utf-8';
const MIB = 1024 * 1024;

const random = new RandomServers();
const requests = new RandomRequests(random);

/** Returns a fetch with the bootstrap token of the test stack. `changes` replaces parts of the request. */
function fetchOf(body: string | Buffer, changes: Question = {}): Question {
  const headers = { 'Content-Type': 'application/json', ...credentials, ...changes.headers };
  return { method: 'POST', path: FETCH, body, ...changes, headers };
}

const headersOf = ({ token, tier, email }: Credentials) => ({
  'x-api-token': token,
  'x-api-token-type': tier,
  'x-api-token-email': email,
});

const bodyWith = (groups: readonly Group[]): string => JSON.stringify({ servers: groups });

describe('a transcoder with the REST paths of gsq.binpb', () => {
  let service: InProcess;
  let isStopped = false;
  const transcoders = new Map<'envoy' | 'grpc-gateway', Transcoder>();
  before(async () => {
    service = await startWithServers(random);
    transcoders.set('envoy', await startEnvoy(service.grpc));
    transcoders.set('grpc-gateway', await startGrpcGateway(service.grpc));
  });
  after(async () => {
    for (const { child } of transcoders.values()) await child.stop('SIGKILL');
    if (!isStopped) await service.stop();
  });

  /** Sends the same request to the gateway and to each transcoder. */
  async function ask(question: Question): Promise<Record<ServerName, HttpAnswer>> {
    const to = (name: 'envoy' | 'grpc-gateway') => send(transcoders.get(name)?.http ?? '', question);
    return {
      gateway: await send(service.http, question),
      envoy: await to('envoy'),
      'grpc-gateway': await to('grpc-gateway'),
    };
  }

  it('returns the same bytes as the gateway for GET /v1/get/games', async () => {
    for (const path of [GAMES, `${GAMES}?nothing=1`]) {
      const { gateway, ...others } = await ask({ path });
      assert.equal(JSON.parse(gateway.body).length, 424);
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
      // One of the three servers gets the request first. Only its answer contains the servers that the request inserted.
      const first = [service.http, ...[...transcoders.values()].map(({ http }) => http)][round % 3] ?? '';
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

  it('returns the same HTTP status, message and error code as the gateway if the core refuses a fetch', async () => {
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

  // docs/grpc.md lists these differences.
  const differences: [string, () => Question | Promise<Question>, Record<ServerName, number>][] = [
    [
      'a DELETE of the catalog',
      () => ({ method: 'DELETE', path: GAMES }),
      { gateway: 405, envoy: 404, 'grpc-gateway': 501 },
    ],
    ['a GET of the fetch path', () => ({ path: FETCH }), { gateway: 405, envoy: 404, 'grpc-gateway': 501 }],
    ['an unknown path', () => ({ path: '/v1' }), { gateway: 404, envoy: 404, 'grpc-gateway': 404 }],
    [
      'a path with a slash at its end',
      () => ({ path: `${GAMES}/` }),
      { gateway: 404, envoy: 200, 'grpc-gateway': 404 },
    ],
    [
      'the header If-None-Match',
      () => ({ path: GAMES, headers: { 'If-None-Match': '*' } }),
      { gateway: 304, envoy: 200, 'grpc-gateway': 200 },
    ],
    [
      'a Content-Type that is not JSON',
      () => fetchOf(validBody, { headers: { 'Content-Type': 'text/plain' } }),
      { gateway: 415, envoy: 200, 'grpc-gateway': 200 },
    ],
    ['an empty body', () => fetchOf(''), { gateway: 400, envoy: 200, 'grpc-gateway': 200 }],
    [
      'a body without the key servers',
      () => fetchOf('{"server":[]}'),
      { gateway: 400, envoy: 200, 'grpc-gateway': 200 },
    ],
    [
      'null instead of a list',
      () => fetchOf('{"servers":null}'),
      { gateway: 400, envoy: 200, 'grpc-gateway': 200 },
    ],
    [
      'null instead of a group',
      () => fetchOf('{"servers":[null]}'),
      { gateway: 400, envoy: 200, 'grpc-gateway': 400 },
    ],
    [
      'the key gameId instead of game_id',
      () => fetchOf(validBody.replace('game_id', 'gameId')),
      { gateway: 400, envoy: 200, 'grpc-gateway': 200 },
    ],
    [
      'a key that appears twice',
      () => fetchOf(validBody.replace('{', '{"servers":[],')),
      { gateway: 200, envoy: 200, 'grpc-gateway': 400 },
    ],
    [
      'a body that begins with a byte order mark',
      () => fetchOf(`\ufeff${validBody}`),
      { gateway: 200, envoy: 400, 'grpc-gateway': 400 },
    ],
    [
      'a body that is compressed',
      () => fetchOf(gzipSync(validBody), { headers: { 'Content-Encoding': 'gzip' } }),
      { gateway: 200, envoy: 400, 'grpc-gateway': 400 },
    ],
    [
      'a body that is larger than 1 MiB because of spaces',
      () => fetchOf(bodyOf(MIB + 1)),
      { gateway: 413, envoy: 413, 'grpc-gateway': 200 },
    ],
    [
      'a body that is not JSON, and no token',
      () => fetchOf('{', { headers: { 'x-api-token': '' } }),
      { gateway: 401, envoy: 400, 'grpc-gateway': 400 },
    ],
    [
      'an Origin in the domain allow-list of the token',
      async () => {
        const token = await createToken(service.internal, { allowDomains: ['example.com'] });
        return fetchOf(validBody, { headers: { ...headersOf(token), Origin: 'https://example.com' } });
      },
      { gateway: 200, envoy: 403, 'grpc-gateway': 403 },
    ],
  ];
  for (const [what, question, statuses] of differences) {
    it(`has its own HTTP status for a request with a peculiarity: ${what}`, async () => {
      const answers = Object.entries(await ask(await question()));
      assert.deepEqual(Object.fromEntries(answers.map(([name, { status }]) => [name, status])), statuses);
    });
  }

  it('has its own error message, but the same HTTP status as the gateway, for a body that is not valid', async () => {
    for (const body of [
      '{',
      'null',
      '[]',
      '{"servers":[{"game_id":1}]}',
      Buffer.from('{"\xff":1}', 'latin1'),
    ]) {
      const { gateway, ...others } = await ask(fetchOf(body));
      assert.equal(JSON.parse(gateway.body).error, 'POST_2');
      for (const answer of Object.values(others)) {
        assert.equal(answer.status, 400);
        assert.doesNotMatch(answer.body, /POST_2/);
      }
    }
  });

  it('has only the HTTP headers that its configuration adds, and the metadata of the core', async () => {
    const ofGateway = ['etag', 'cache-control', 'x-request-id', 'ratelimit-policy'];
    const shared = [
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

  it('compresses no answer to a request without Accept-Encoding, unlike the gateway', async () => {
    const encodings = [service, ...transcoders.values()].map(async ({ http }) => {
      const { headers } = await askPlainly(http, { path: GAMES });
      return headers['content-encoding'];
    });
    assert.deepEqual(await Promise.all(encodings), ['gzip', undefined, undefined]);
  });

  it('answers 503 while the core is not running', async () => {
    await service.stop();
    isStopped = true;
    for (const { http } of transcoders.values()) {
      const { status } = await until(
        'an answer without the core',
        () => send(http, fetchOf(validBody)),
        answer => answer.status !== 200,
      );
      assert.equal(status, 503);
    }
  });
});

/** Returns the error in a google.rpc.Status as JSON, with the same keys as in an error of the gateway. */
function rpcErrorIn({ body }: HttpAnswer): { error: string; message: string; details: unknown } {
  const { message, details } = JSON.parse(body);
  const find = (type: string) =>
    details.find(
      (detail: { '@type': string }) => detail['@type'] === `type.googleapis.com/google.rpc.${type}`,
    );
  const violations = find('BadRequest')?.fieldViolations;
  return {
    error: find('ErrorInfo').reason,
    message,
    details: violations?.map(({ field, description }: { field: string; description: string }) => ({
      path: field,
      message: description,
    })),
  };
}
