import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, constants } from 'node:http2';
import { after, before, describe, it, type TestContext } from 'node:test';
import { type handleUnaryCall, Metadata, Server, status } from '@grpc/grpc-js';
import { CallJournal } from '../../core/rpc/call-journal.ts';
import { TIME_LIMITS } from '../../core/rpc/call-limits.ts';
import { listen } from '../../core/rpc/grpc-server.ts';
import { publicCalls } from '../../core/rpc/public-call.ts';
import { UnservedCalls } from '../../core/rpc/unserved-calls.ts';
import { limitKeyOf } from '../../net/network.ts';
import { clients, internalMetadata } from '../../proto/clients.ts';
import { gsqV1 } from '../../proto/descriptors.ts';
import { type ReasonCode, reasons } from '../../proto/reasons.ts';
import { ServiceError } from '../../proto/service-error.ts';
import { AccessLog } from '../../runtime/access-log.ts';
import { failure } from '../core/rpc/answer.ts';
import { EMPTY, framed, headers, LIST_GAMES, outcome, publicServer } from '../core/rpc/public-server.ts';
import { secretFailure, serving } from '../core/rpc/served-handlers.ts';
import { destroySession } from '../http2-session.ts';
import { LogLines } from '../runtime/log-lines.ts';
import { bootstrap, INTERNAL_SECRET } from '../system/stack-settings.ts';
import { addresses } from './fetch-requests.ts';
import { credentialMetadata, FetchConversation, fetchServers } from './grpc.ts';
import { type InProcess, startInProcess } from './in-process.ts';
import type { Credentials } from './rest.ts';
import { createToken, makeRequests, type TestToken } from './tokens.ts';

/** Error codes that REST sends and gRPC never sends. */
const REST_ONLY: readonly ReasonCode[] = ['GET_1', 'POST_1', 'POST_2', 'POST_4', 'ROUTE_2', 'HTTP_1'];

describe('access log of the core', () => {
  const log = new LogLines();
  const access = new AccessLog(log.logger, 0, limitKeyOf);
  const unserved = new UnservedCalls(access);
  let stack: InProcess;
  let slow: InProcess;
  let free: TestToken;
  let elsewhere: TestToken;
  before(async () => {
    stack = await startInProcess({ GSQ_LOG_SAMPLE: '1' }, Date.now, log.logger);
    slow = await startInProcess({ GSQ_BURST_LIMIT: '1' }, Date.now, log.logger);
    free = await createToken(stack.internal);
    elsewhere = await createToken(stack.internal, { allowIps: ['192.0.2.1'] });
  });
  after(() => Promise.all([stack.stop(), slow.stop()]));

  const fetchAs = (credentials: Credentials, servers: string[] = [], address = stack.grpc) =>
    fetchServers(address, { servers: [{ gameId: 'csgo', servers }] }, credentialMetadata(credentials));
  const refused = (credentials: Credentials, servers: string[] = []) =>
    assert.rejects(fetchAs(credentials, servers));

  /** Sends a request with these bytes as its body to the public gRPC port of the core, and waits for the outcome. */
  async function call(path: string, more: Record<string, string>, body: Buffer): Promise<void> {
    const session = connect(`http://${stack.grpc}`);
    await outcome(session.request(headers(path, more)).end(body));
    await destroySession(session);
  }

  async function admin(metadata: Metadata, tier: string, id: string): Promise<void> {
    const client = clients.admin(stack.internal);
    if (tier === '') await failure(done => client.getToken({ id }, metadata, done));
    else await failure(done => client.createToken({ tier, email: 'ann@example.com' }, metadata, done));
    client.close();
  }

  /**
   * Starts a gRPC server that handles calls like the public port of the core, but has only the method ListGames. Opens
   * an HTTP/2 connection to the server.
   */
  async function serveListGames(
    t: TestContext,
    calls: UnservedCalls,
    arrivalMs: number,
    handle: handleUnaryCall<unknown, unknown>,
  ) {
    const limits = { ...TIME_LIMITS, arrivalMs };
    const server = new Server({
      interceptors: [publicCalls({ limits, acceptsGzip: () => false, unserved: calls })],
    });
    server.addService(gsqV1.GameService.service, { ListGames: handle });
    const { port } = await listen(server, 'GSQ_GRPC_ADDR', { host: '127.0.0.1', port: 0 });
    const session = connect(`http://127.0.0.1:${port}`);
    t.after(async () => {
      await destroySession(session);
      server.forceShutdown();
    });
    return session;
  }

  /** Sends an incomplete message to a gRPC server whose time limit for a message is short. */
  async function sendLate(t: TestContext): Promise<void> {
    const session = await serveListGames(t, unserved, 50, () => {});
    const stream = session.request(headers(LIST_GAMES));
    stream.write(EMPTY.subarray(0, 3));
    await once(stream, 'response');
  }

  /** Makes a gRPC call that the handler refuses with `code`. */
  async function refusedBy(t: TestContext, code: ReasonCode): Promise<void> {
    const refuse = () => {
      throw new ServiceError(code, 'refused by the test');
    };
    const { client } = await serving(t, refuse, undefined, undefined, new CallJournal(access));
    await failure(done => client.fetchServers({}, new Metadata(), done));
  }

  const cases: Readonly<Record<ReasonCode, ((t: TestContext) => Promise<unknown>) | undefined>> = {
    GET_1: undefined,
    POST_1: undefined,
    POST_2: undefined,
    POST_3: () => refused(bootstrap, addresses(1001)),
    POST_4: undefined,
    POST_5: () => call(LIST_GAMES, {}, framed(Buffer.alloc(1024 * 1024 + 1))),
    AUTH_1: () => refused({ ...bootstrap, token: '' }),
    AUTH_2: () => refused({ ...bootstrap, tier: 'GOLD' }),
    AUTH_3: () => refused({ ...bootstrap, token: 'gsq_some-other-token' }),
    AUTH_4: () => refused(elsewhere),
    AUTH_5: () => admin(internalMetadata('gsq_some-other-secret'), 'FREE', ''),
    QUOTA_1: async () => {
      await makeRequests(stack.internal, free, 1440);
      await refused(free);
    },
    RATE_1: () => Promise.allSettled([1, 2, 3].map(() => fetchAs(bootstrap, [], slow.grpc))),
    QUERY_1: t => refusedBy(t, 'QUERY_1'),
    SERVER_1: t => refusedBy(t, 'SERVER_1'),
    HOOK_1: t => refusedBy(t, 'HOOK_1'),
    HOOK_2: t => refusedBy(t, 'HOOK_2'),
    ROUTE_2: undefined,
    ROUTE_1: () => call('/gsq.v1.GameService/Nothing', {}, EMPTY),
    HTTP_1: undefined,
    GRPC_1: () => call(gsqV1.ServerService.service.FetchServers.path, {}, framed(Buffer.from([0xff]))),
    GRPC_2: () => call(LIST_GAMES, { 'grpc-encoding': 'gzip' }, EMPTY),
    GRPC_3: sendLate,
    GRPC_4: () => call('/grpc.health.v1.Health/Check', {}, framed(Buffer.from([0x0a, 1, 0x61]))),
    ADMIN_1: () => admin(internalMetadata(INTERNAL_SECRET), 'GOLD', ''),
    ADMIN_2: () => admin(internalMetadata(INTERNAL_SECRET), '', bootstrap.token),
    CORE_1: async t => {
      const { session } = await publicServer(t, { callsPerAddress: 0 }, true, unserved);
      await outcome(session().request(headers(LIST_GAMES)).end(EMPTY));
    },
    CORE_2: async t => {
      const { session } = await publicServer(t, {}, true, unserved);
      await outcome(
        session()
          .request(headers(LIST_GAMES, { 'grpc-timeout': '20m' }))
          .end(EMPTY),
      );
    },
    INTERNAL_1: async t => {
      const journal = new CallJournal(access);
      const { client } = await serving(t, secretFailure, undefined, undefined, journal);
      await failure(done => client.fetchServers({}, new Metadata(), done));
    },
  };

  it('is tested in this file with every error code that gRPC can send', () => {
    const never = Object.keys(reasons).filter(code => !cases[code as ReasonCode]);
    assert.deepEqual(never.sort(), [...REST_ONLY].sort());
  });

  for (const code of Object.keys(reasons) as ReasonCode[]) {
    const refuse = cases[code];
    if (!refuse) continue;
    it(`has a line for a call that is refused with ${code}`, async t => {
      await refuse(t);
      const line = await log.find(each => each.msg === 'refused' && each.code === code && 'method' in each);
      assert.equal(line.caller, '127.0.0.1', JSON.stringify(line));
      assert.match(String(line.method), /^[A-Za-z]+$/);
      // In these tests, the error codes CORE_1 and CORE_2 mean that the caller exceeds a limit. This is no fault of
      // gsq, so the log level is info (30) and not warn (40).
      assert.equal(line.level, code === 'INTERNAL_1' ? 40 : 30);
      assert.equal(typeof line.ms, 'number');
    });
  }

  it('has no line for an error that occurs after the caller has cancelled the call', async t => {
    const own = new LogLines();
    const calls = new UnservedCalls(new AccessLog(own.logger, 0, limitKeyOf));
    await new Promise<void>((resolve, reject) => {
      let cancel = (): void => {};
      const session = serveListGames(t, calls, TIME_LIMITS.arrivalMs, (call, answer) => {
        call.once('cancelled', () => {
          answer({ code: status.INTERNAL, details: 'late' });
          resolve();
        });
        cancel();
      });
      session.then(one => {
        const stream = one.request(headers(LIST_GAMES)).end(EMPTY);
        stream.on('error', () => {});
        cancel = () => stream.close(constants.NGHTTP2_CANCEL);
      }, reject);
    });
    assert.deepEqual(own.lines, []);
  });

  it('contains the token id and the number of addresses of a refused call', async () => {
    const lineOf = (code: string) => log.find(line => line.code === code && 'method' in line);
    assert.equal((await lineOf('AUTH_4')).token_id, elsewhere.id);
    assert.equal((await lineOf('QUOTA_1')).token_id, free.id);
    assert.equal((await lineOf('POST_3')).addresses, 1001);
    for (const code of ['AUTH_1', 'AUTH_2', 'AUTH_3', 'AUTH_5'])
      assert.ok(!('token_id' in (await lineOf(code))), code);
  });

  it('contains the numbers of addresses, inserted servers and invalid addresses of a successful call', async () => {
    const servers = ['127.0.0.1:27999', '127.0.0.1:0'];
    await fetchAs(bootstrap, servers);
    const { token_id, ...line } = await log.find(
      ({ code, addresses: asked }) => code === 'OK' && asked === 2,
    );
    assert.match(String(token_id), /^tok_/);
    assert.deepEqual([line.inserted, line.invalid, line.method], [1, 1, 'FetchServers']);
  });

  it('has no lines for the calls of gateways, because each gateway writes its own access log', () => {
    assert.deepEqual(
      log.lines.filter(({ method }) => method === 'FetchCall' || method === 'CheckAccess'),
      [],
    );
  });

  it('has a line for each call that a client sends over a FetchStream on the public port', async () => {
    const stream = new FetchConversation(stack.grpc, credentialMetadata());
    const servers = [{ gameId: 'csgo', servers: ['127.0.0.1:27999', '127.0.0.1:0', '127.0.0.1:1'] }];
    stream.send({ id: 1, fetch: { servers }, requestId: 'streamed' });
    await stream.next();
    await stream.end();
    const {
      caller,
      method,
      code,
      addresses: asked,
      inserted,
      invalid,
    } = await log.find(({ request_id }) => request_id === 'streamed');
    assert.deepEqual(
      { caller, method, code, asked, inserted, invalid },
      { caller: '127.0.0.1', method: 'FetchCall', code: 'OK', asked: 3, inserted: 0, invalid: 2 },
    );
    const stranger = new FetchConversation(
      slow.grpc,
      credentialMetadata({ ...bootstrap, token: 'gsq_some-other' }),
    );
    stranger.send({ id: 1, fetch: { servers }, requestId: 'strange' });
    await stranger.next();
    await stranger.end();
    const refusal = await log.find(({ request_id }) => request_id === 'strange');
    assert.deepEqual([refusal.code, refusal.method, refusal.token_id], ['AUTH_3', 'FetchCall', undefined]);
  });

  it('contains no secret and no e-mail address', () => {
    const tokens = [bootstrap.token, free.token, elsewhere.token, 'gsq_some-other'];
    log.assertDiscreet([...tokens, INTERNAL_SECRET]);
  });
});
