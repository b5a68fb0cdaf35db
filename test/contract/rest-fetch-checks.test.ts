import assert from 'node:assert/strict';
import { once } from 'node:events';
import { METHODS } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { status } from '@grpc/grpc-js';
import { type Answer, ask, askRaw, type Question } from '../gateway/ask.ts';
import { runGateway } from '../gateway/running-gateway.ts';
import { ScriptedCore } from '../gateway/scripted-core.ts';
import { Stack } from '../system/stack.ts';
import { until } from '../system/until.ts';
import { assertError, credentialHeaders, FETCH, type Group, metaIn, post, postFetch } from './rest.ts';
import { createToken, OWNER, revokeToken, type TestToken, usedBy } from './tokens.ts';

const MIB = 1024 * 1024;
const servers: Group[] = [{ game_id: 'csgo', servers: ['127.0.0.1:27015'] }];
const good = JSON.stringify({ servers });

/** Returns a valid request body with exactly this number of bytes. */
function bodyOf(bytes: number): string {
  return good.padEnd(bytes, ' ');
}

function addresses(count: number): string[] {
  return Array.from({ length: count }, (_, i) => `127.0.0.1:${20000 + i}`);
}

describe('POST /v1/post/fetch', () => {
  let stack: Stack;
  let free: TestToken;
  before(async () => {
    stack = await Stack.start({ processes: ['core', 'gateway'] });
    free = await createToken(stack.internal);
  });
  after(() => stack.stop());

  /** Sends a fetch with the headers of a FREE token and these changes. The value `undefined` removes a header. */
  const withHeaders = (changes: Record<string, string | undefined>, body = good) => {
    const all = { 'Content-Type': 'application/json', ...credentialHeaders(free), ...changes };
    const headers = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
    return ask(stack.http, { method: 'POST', path: FETCH, headers, body });
  };
  const withBody = (question: Question) => post(stack.http, question);

  it('answers methods other than POST with 405 POST_1 and the header Allow: POST', async () => {
    const others = METHODS.filter(method => !['POST', 'HEAD', 'CONNECT'].includes(method));
    for (const method of others) {
      const answer = await post(stack.http, { method });
      assertError(answer, 405, 'POST_1');
      assert.equal(answer.headers.allow, 'POST', method);
    }
  });

  it('answers HEAD and CONNECT with 405', async () => {
    const head = await askRaw(stack.http, `HEAD ${FETCH} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    assert.match(head.head, /^HTTP\/1\.1 405 /);
    assert.match(head.head, /^Allow: POST$/im);
    const connect = await askRaw(stack.http, `CONNECT ${FETCH} HTTP/1.1\r\nHost: x\r\n\r\n`);
    assert.match(connect.head, /^HTTP\/1\.1 405 /);
    assert.ok(connect.body.length > 0);
  });

  it('answers OPTIONS with 405 if CORS is not configured', async () => {
    const headers = { Origin: 'https://example.com', 'Access-Control-Request-Method': 'POST' };
    const answer = await ask(stack.http, { method: 'OPTIONS', path: FETCH, headers });
    assertError(answer, 405, 'POST_1');
    assert.equal(answer.headers['access-control-allow-origin'], undefined);
  });

  it('answers 401 AUTH_1 if the token header is missing or empty', async () => {
    assertError(await withHeaders({ 'X-API-Token': undefined }), 401, 'AUTH_1');
    assertError(await withHeaders({ 'X-API-Token': '' }), 401, 'AUTH_1');
    assertError(await ask(stack.http, { method: 'POST', path: FETCH, body: good }), 401, 'AUTH_1');
  });

  it('answers 401 AUTH_2 if the tier header is neither FREE nor PRO', async () => {
    for (const tier of [undefined, '', 'GOLD', 'free', 'Free', 'FREE,PRO']) {
      assertError(await withHeaders({ 'X-API-Token-Type': tier }), 401, 'AUTH_2');
    }
  });

  it('answers 401 AUTH_3 with one message, whether the token, the tier or the e-mail is wrong', async () => {
    const refusals = await Promise.all([
      withHeaders({ 'X-API-Token': 'gsq_unknown-token-unknown-token' }),
      withHeaders({ 'X-API-Token': free.token.toUpperCase() }),
      withHeaders({ 'X-API-Token-Type': 'PRO' }),
      withHeaders({ 'X-API-Token-Email': 'other@example.com' }),
      withHeaders({ 'X-API-Token-Email': undefined }),
      withHeaders({ 'X-API-Token': 'gsq_unknown', 'X-API-Token-Type': 'PRO', 'X-API-Token-Email': 'a' }),
    ]);
    for (const refusal of refusals) assertError(refusal, 401, 'AUTH_3');
    assert.equal(new Set(refusals.map(({ json }) => json.message)).size, 1);
  });

  it('answers 401 AUTH_3 if the token was revoked', async () => {
    const token = await createToken(stack.internal);
    const headers = credentialHeaders(token);
    assert.equal((await withHeaders(headers)).status, 200);
    await revokeToken(stack.internal, token.id);
    const refusal = await withHeaders(headers);
    assertError(refusal, 401, 'AUTH_3');
    const unknown = await withHeaders({ 'X-API-Token': 'gsq_unknown' });
    assert.equal(refusal.json.message, unknown.json.message);
  });

  it('answers 403 AUTH_4 if the IP allow-list of the token excludes the caller', async () => {
    const elsewhere = await createToken(stack.internal, { allowIps: ['10.0.0.0/8', '2001:db8::/32'] });
    assertError(await withHeaders(credentialHeaders(elsewhere)), 403, 'AUTH_4');
    const claimed = { ...credentialHeaders(elsewhere), 'X-Forwarded-For': '10.1.2.3' };
    assertError(await withHeaders(claimed), 403, 'AUTH_4');
    const here = await createToken(stack.internal, { allowIps: ['10.0.0.0/8', '127.0.0.1'] });
    assert.equal((await withHeaders(credentialHeaders(here))).status, 200);
  });

  it('answers 403 AUTH_4 if the domain allow-list of the token excludes the caller', async () => {
    const token = credentialHeaders(await createToken(stack.internal, { allowDomains: ['example.com'] }));
    assertError(await withHeaders(token), 403, 'AUTH_4');
    for (const origin of [
      'https://example.org',
      'https://notexample.com',
      'https://example.com.example.org',
    ]) {
      assertError(await withHeaders({ ...token, Origin: origin }), 403, 'AUTH_4');
    }
    assert.equal((await withHeaders({ ...token, Origin: 'https://example.com' })).status, 200);
    assert.equal((await withHeaders({ ...token, Referer: 'https://www.example.com/page' })).status, 200);
  });

  it('answers 413 POST_5 if the body is larger than 1 MiB', async () => {
    assertError(await withBody({ body: bodyOf(MIB + 1) }), 413, 'POST_5');
    assert.equal((await withBody({ body: bodyOf(MIB) })).status, 200);
  });

  it('answers 413 POST_5 if a chunked body is larger than 1 MiB', async () => {
    const headers = { 'Transfer-Encoding': 'chunked' };
    assertError(await withBody({ body: bodyOf(MIB + 1), headers }), 413, 'POST_5');
  });

  it('answers 413 POST_5 if a gzip body is larger than 1 MiB after decompression', async () => {
    const headers = { 'Content-Encoding': 'gzip' };
    const bomb = gzipSync(Buffer.alloc(200 * MIB, ' '), { level: 1 });
    assert.ok(bomb.length < MIB);
    assertError(await withBody({ body: bomb, headers }), 413, 'POST_5');
    assertError(await withBody({ body: gzipSync(bodyOf(MIB + 1)), headers }), 413, 'POST_5');
    assert.equal((await withBody({ body: gzipSync(bodyOf(MIB)), headers })).status, 200);
  });

  it('answers 415 POST_4 if Content-Type is not application/json', async () => {
    for (const type of [
      undefined,
      '',
      'text/plain',
      'application/jsonp',
      'application/x-www-form-urlencoded',
    ]) {
      assertError(await withHeaders({ 'Content-Type': type }), 415, 'POST_4');
    }
    for (const type of [
      'Application/JSON',
      'application/json; charset=utf-8',
      'application/json;charset="UTF-8"',
    ]) {
      assert.equal((await withHeaders({ 'Content-Type': type })).status, 200, type);
    }
  });

  it('answers 400 POST_2 if the body is not JSON', async () => {
    for (const body of ['', ' ', '{', 'servers=1', '{"servers":[}', `${good}}`, Buffer.from([0xff, 0xfe])]) {
      const answer = await withBody({ body });
      assertError(answer, 400, 'POST_2');
      assert.ok(Array.isArray(answer.json.details) && answer.json.details.length === 1, answer.text);
    }
  });

  const shapes: [unknown, string[]][] = [
    [null, ['']],
    ['text', ['']],
    [[], ['']],
    [{}, ['servers']],
    [{ servers: {} }, ['servers']],
    [{ servers: 'csgo' }, ['servers']],
    [{ servers: [null, 1] }, ['servers[0]', 'servers[1]']],
    [{ servers: [{}] }, ['servers[0].game_id', 'servers[0].servers']],
    [{ servers: [{ game_id: 1, servers: [] }] }, ['servers[0].game_id']],
    [{ servers: [{ game_id: 'csgo', servers: '127.0.0.1:27015' }] }, ['servers[0].servers']],
    [
      { servers: [...servers, { game_id: 'csgo', servers: ['a:1', 27015, null] }] },
      ['servers[1].servers[1]', 'servers[1].servers[2]'],
    ],
  ];
  for (const [shape, paths] of shapes) {
    it(`answers 400 POST_2 with the path of each error to the body ${JSON.stringify(shape)}`, async () => {
      const answer = await withBody({ body: JSON.stringify(shape) });
      assertError(answer, 400, 'POST_2');
      const details = answer.json.details as { path: string; message: string }[];
      assert.deepEqual(
        details.map(({ path }) => path),
        paths,
      );
      for (const detail of details) {
        assert.deepEqual(Object.keys(detail), ['path', 'message']);
        assert.notEqual(detail.message, '');
      }
    });
  }

  it('answers 400 POST_3 if all groups together contain more than 1000 addresses', async () => {
    const all = addresses(1001);
    const split: Group[] = [
      { game_id: 'csgo', servers: all.slice(0, 500) },
      { game_id: 'teamfortress2', servers: all.slice(500) },
    ];
    assertError(await postFetch(stack.http, [{ game_id: 'csgo', servers: all }]), 400, 'POST_3');
    assertError(await postFetch(stack.http, split), 400, 'POST_3');
    const thousand = await postFetch(stack.http, [{ game_id: 'nosuchgame', servers: all.slice(1) }]);
    assert.equal(metaIn(thousand).invalid_servers.length, 1000);
  });

  it('is the only fetch path: similar and unknown paths get 404 ROUTE_1 in JSON', async () => {
    for (const path of [
      '/',
      '/v1',
      `${FETCH}/`,
      '/V1/post/fetch',
      '/v1/post/fetch/x',
      '//',
      '/%',
      '/v2/get/games',
    ]) {
      for (const method of ['GET', 'POST', 'DELETE']) {
        assertError(await ask(stack.http, { method, path }), 404, 'ROUTE_1');
      }
    }
  });

  it('ignores the case of the e-mail and of header names, but not the case of the token and the tier', async () => {
    for (const email of [OWNER.toLowerCase(), OWNER.toUpperCase()]) {
      assert.equal((await withHeaders({ 'X-API-Token-Email': email })).status, 200);
    }
    const headers = {
      'CONTENT-TYPE': 'application/json',
      'x-api-TOKEN': free.token,
      'X-Api-Token-type': free.tier,
      'x-API-token-EMAIL': free.email,
    };
    assert.equal((await ask(stack.http, { method: 'POST', path: FETCH, headers, body: good })).status, 200);
    assertError(await withHeaders({ 'X-API-Token': free.token.toLowerCase() }), 401, 'AUTH_3');
    assertError(await withHeaders({ 'X-API-Token-Type': 'free' }), 401, 'AUTH_2');
  });

  it('charges no quota for a request that fails with 401, 403, 413, 415 or 400', async () => {
    const before = await usedBy(stack.internal, free.id);
    const refused: Answer[] = [
      await withHeaders({ 'X-API-Token-Type': 'PRO' }),
      await withHeaders({}, bodyOf(MIB + 1)),
      await withHeaders({ 'Content-Type': 'text/plain' }),
      await withHeaders({}, '{'),
      await withHeaders({}, JSON.stringify({ servers: [{ game_id: 'csgo', servers: addresses(1001) }] })),
    ];
    assert.deepEqual(
      refused.map(({ status }) => status),
      [401, 413, 415, 400, 400],
    );
    const excluded = await createToken(stack.internal, { allowIps: ['10.0.0.1'] });
    assert.equal((await withHeaders(credentialHeaders(excluded))).status, 403);
    assert.equal(await usedBy(stack.internal, excluded.id), 0);
    assert.equal(await usedBy(stack.internal, free.id), before);
    assert.equal((await withHeaders({})).status, 200);
    assert.equal(await usedBy(stack.internal, free.id), before + 1);
  });
});

describe('POST /v1/post/fetch during a core failure', () => {
  let stack: Stack;
  before(async () => {
    const env = { GSQ_REQUEST_TIMEOUT: '400ms' };
    stack = await Stack.start({ env, processes: ['core', 'gateway'] });
  });
  after(() => stack.stop());

  const games = () => ask(stack.http, { path: '/v1/get/games' });

  it('answers 504 CORE_2 while the core does not respond, and 200 after the core responds again', async () => {
    const { child } = stack.process('core');
    await until(
      'the first answer',
      () => postFetch(stack.http, servers),
      ({ status }) => status === 200,
    );
    child.signal('SIGSTOP');
    try {
      assertError(await postFetch(stack.http, servers), 504, 'CORE_2');
      assertError(await games(), 504, 'CORE_2');
    } finally {
      child.signal('SIGCONT');
    }
    await until(
      'an answer again',
      () => postFetch(stack.http, servers),
      ({ status }) => status === 200,
    );
  });

  it('answers 503 CORE_1 with Retry-After while the core is not running', async () => {
    const { child } = stack.process('core');
    child.signal('SIGKILL');
    await once(child.process, 'exit');
    for (const answer of [await postFetch(stack.http, servers), await games()]) {
      assertError(answer, 503, 'CORE_1');
      assert.match(answer.headers['retry-after'] ?? '', /^[1-9]\d*$/);
    }
  });

  it('answers 500 INTERNAL_1 if the core has a defect, and shows no stack trace and no internal address', async () => {
    const core = new ScriptedCore();
    await core.start();
    const gateway = await runGateway(core.address);
    try {
      const secrets = 'Error: at /srv/core/secret.ts:1 for 10.1.2.3:6379';
      core.script = () => ({ error: { code: status.INTERNAL, message: secrets, details: [] } });
      const defect = await postFetch(gateway.http, servers);
      assertError(defect, 500, 'INTERNAL_1');
      assert.doesNotMatch(defect.text, /secret|10\.1\.2\.3/);
      // A reply with neither payloads nor an error, which is invalid.
      core.script = () => ({ checked: {} });
      assertError(await postFetch(gateway.http, servers), 500, 'INTERNAL_1');
    } finally {
      await gateway.running.drain();
      core.stop();
    }
  });
});
