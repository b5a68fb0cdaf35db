import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, before, describe, it } from 'node:test';
import type { CoreConfig } from '../../core/core-settings.ts';
import { type ReasonCode, reasons } from '../../proto/reasons.ts';
import { ServiceError } from '../../proto/service-error.ts';
import { ask } from '../gateway/ask.ts';
import { agreeable } from '../gateway/core-scripts.ts';
import { openEvents } from '../gateway/events/open-events.ts';
import { type GatewayUnderTest, runGateway } from '../gateway/running-gateway.ts';
import { ScriptedCore } from '../gateway/scripted-core.ts';
import { LogLines } from '../runtime/log-lines.ts';
import { bootstrap, INTERNAL_SECRET } from '../system/stack-settings.ts';
import { addresses, validBody } from './fetch-requests.ts';
import { type InProcess, startInProcess } from './in-process.ts';
import { credentialHeaders, FETCH, GAMES } from './rest.ts';
import { createToken, makeRequests, type TestToken } from './tokens.ts';

/** Sends one request that the gateway refuses. */
type Refused = () => Promise<unknown>;

/** Error codes that REST never sends: the codes for gRPC calls and for calls of operators. */
const GRPC_ONLY: readonly ReasonCode[] = [
  'AUTH_5',
  'GRPC_1',
  'GRPC_2',
  'GRPC_3',
  'GRPC_4',
  'ADMIN_1',
  'ADMIN_2',
];

/** Returns the body of a fetch request for these servers of one game. */
const bodyFor = (servers: string[]) => JSON.stringify({ servers: [{ game_id: 'csgo', servers }] });

const env: Partial<Record<keyof CoreConfig, string>> = { GSQ_LOG_SAMPLE: '1' };

describe('access log of the gateway', () => {
  const log = new LogLines();
  const core = new ScriptedCore();
  let stack: InProcess;
  let scripted: GatewayUnderTest;
  let away: GatewayUnderTest;
  let slow: InProcess;
  let free: TestToken;
  let elsewhere: TestToken;
  before(async () => {
    stack = await startInProcess(env, Date.now, log.logger);
    slow = await startInProcess({ GSQ_BURST_LIMIT: '1' }, Date.now, log.logger);
    await core.start();
    const hasty = { GSQ_REQUEST_TIMEOUT: '200ms', ...env };
    scripted = await runGateway(core.address, hasty, {}, Date.now, log.logger);
    away = await runGateway('127.0.0.1:1', hasty, {}, Date.now, log.logger);
    free = await createToken(stack.internal);
    elsewhere = await createToken(stack.internal, { allowIps: ['192.0.2.1'] });
  });
  after(async () => {
    await Promise.all([scripted.running.drain(), away.running.drain()]);
    core.stop();
    await Promise.all([stack.stop(), slow.stop()]);
  });

  const post = (http: string, headers: Record<string, string> = {}, body: string = validBody, path = FETCH) =>
    ask(http, {
      method: 'POST',
      path,
      headers: { 'Content-Type': 'application/json', ...credentialHeaders(bootstrap), ...headers },
      body,
    });

  const refusedByCore = (code: ReasonCode) => {
    core.json.script = () => ({ error: new ServiceError(code, 'refused by the test') });
    return ask(scripted.http, { path: '/v1/webhooks/wh_1', headers: credentialHeaders(bootstrap) });
  };

  const cases: Readonly<Record<ReasonCode, Refused | undefined>> = {
    GET_1: () => post(stack.http, {}, '', GAMES),
    POST_1: () => ask(stack.http, { path: FETCH }),
    POST_2: () => post(stack.http, {}, '{'),
    POST_3: () => post(stack.http, {}, bodyFor(addresses(1001))),
    POST_4: () => post(stack.http, { 'Content-Type': 'text/plain' }),
    POST_5: () => post(stack.http, {}, ' '.repeat(1024 * 1024 + 1)),
    AUTH_1: () => ask(stack.http, { method: 'POST', path: FETCH, body: validBody }),
    AUTH_2: () => post(stack.http, { 'X-API-Token-Type': 'GOLD' }),
    AUTH_3: () => post(stack.http, { 'X-API-Token': 'gsq_some-other-token' }),
    AUTH_4: () => post(stack.http, credentialHeaders(elsewhere)),
    AUTH_5: undefined,
    QUOTA_1: async () => {
      await makeRequests(stack.internal, free, 1440);
      await post(stack.http, credentialHeaders(free));
    },
    RATE_1: () => Promise.all([post(slow.http), post(slow.http), post(slow.http)]),
    QUERY_1: () =>
      ask(stack.http, { path: '/v1/servers?page_size=many', headers: credentialHeaders(bootstrap) }),
    SERVER_1: () => refusedByCore('SERVER_1'),
    HOOK_1: () => refusedByCore('HOOK_1'),
    HOOK_2: () => refusedByCore('HOOK_2'),
    ROUTE_2: () => ask(stack.http, { method: 'PUT', path: '/v1/servers' }),
    ROUTE_1: () => ask(stack.http, { path: '/nothing' }),
    HTTP_1: async () => {
      const socket = connect(Number(stack.http.split(':')[1]), '127.0.0.1');
      socket.end('no request\r\n\r\n').resume();
      await once(socket, 'close');
    },
    GRPC_1: undefined,
    GRPC_2: undefined,
    GRPC_3: undefined,
    GRPC_4: undefined,
    ADMIN_1: undefined,
    ADMIN_2: undefined,
    CORE_1: () => post(away.http),
    CORE_2: () => {
      core.script = () => undefined;
      return post(scripted.http);
    },
    INTERNAL_1: () => {
      core.script = () => ({ checked: {} });
      return post(scripted.http);
    },
  };

  it('has a test case in this file for every error code that REST can send', () => {
    const never = Object.keys(reasons).filter(code => !cases[code as ReasonCode]);
    assert.deepEqual(never.sort(), [...GRPC_ONLY].sort());
  });

  for (const code of Object.keys(reasons) as ReasonCode[]) {
    const refuse = cases[code];
    if (!refuse) continue;
    it(`has a line for a request that is refused with ${code}`, async () => {
      await refuse();
      const line = await log.find(each => each.msg === 'refused' && each.code === code && 'route' in each);
      assert.equal(line.caller, '127.0.0.1');
      assert.match(String(line.request_id), /^[0-9a-f-]{36}$/);
      assert.equal(line.level, reasons[code].http >= 500 ? 40 : 30);
      if (code === 'HTTP_1') return;
      assert.equal(line.status, reasons[code].http);
      assert.equal(typeof line.ms, 'number');
    });
  }

  it('contains the token id of a refused request only if the secret of the token was correct', async () => {
    const tokenOf = async (code: string) => (await log.find(line => line.code === code)).token_id;
    assert.equal(await tokenOf('AUTH_4'), elsewhere.id);
    assert.equal(await tokenOf('QUOTA_1'), free.id);
    for (const code of ['POST_2', 'POST_3', 'POST_4', 'POST_5', 'RATE_1'])
      assert.match(String(await tokenOf(code)), /^tok_/, code);
    for (const code of ['AUTH_1', 'AUTH_2', 'AUTH_3']) assert.equal(await tokenOf(code), undefined, code);
    assert.equal((await log.find(line => line.code === 'POST_3')).addresses, 1001);
  });

  it('contains the token id of the caller that opened an event stream', async () => {
    const headers = { ...credentialHeaders(bootstrap), 'X-Request-Id': 'stream' };
    const client = await openEvents(stack.http, '/v1/events?game=csgo', headers);
    const line = await log.find(({ request_id, route }) => request_id === 'stream' && route !== undefined);
    assert.match(String(line.token_id), /^tok_/);
    client.close();
  });

  it('contains no token that a caller sends as its request id', async () => {
    const refused = await post(stack.http, { 'X-Request-Id': free.token }, '{');
    const id = String(refused.headers['x-request-id']);
    assert.match(id, /^[0-9a-f-]{36}$/);
    assert.equal((await post(stack.http, { 'X-Request-Id': 'gsq-1' }, '{')).headers['x-request-id'], 'gsq-1');
  });

  it('counts the addresses, the inserted servers and the invalid addresses of each fetch', async () => {
    for (const [id, inserted] of [
      ['first', 1],
      ['again', 0],
    ]) {
      await post(stack.http, { 'X-Request-Id': String(id) }, bodyFor(['127.0.0.1:27999', '127.0.0.1:0']));
      const line = await log.find(({ request_id, route }) => request_id === id && route === 'fetch');
      const { token_id, addresses, invalid, code, status, caller } = line;
      assert.match(String(token_id), /^tok_/);
      assert.deepEqual(
        { addresses, inserted: line.inserted, invalid, code, status, caller },
        { addresses: 2, inserted, invalid: 1, code: 'OK', status: 200, caller: '127.0.0.1' },
      );
    }
  });

  it('omits the token id and the number of addresses if an old version of the core does not send them', async () => {
    core.script = agreeable;
    await post(scripted.http, { 'X-Request-Id': 'old-core' });
    const line = await log.find(({ request_id }) => request_id === 'old-core');
    assert.deepEqual(
      [line.code, line.status, 'token_id' in line, 'addresses' in line],
      ['OK', 200, false, false],
    );
  });

  it('contains no secret and no e-mail address', () => {
    const tokens = [bootstrap.token, free.token, elsewhere.token];
    log.assertDiscreet([...tokens, INTERNAL_SECRET, 'gsq_some-other-token']);
  });
});
