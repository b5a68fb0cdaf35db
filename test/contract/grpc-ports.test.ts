import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { credentials, type ServiceError as GrpcError, Metadata, status } from '@grpc/grpc-js';
import { clients, credentialKeys, internalMetadata } from '../../proto/clients.ts';
import { grpcHealthV1 } from '../../proto/descriptors.ts';
import type { HealthCheckResponse__Output } from '../../proto/generated/grpc/health/v1/HealthCheckResponse.ts';
import type { GetStatsResponse__Output } from '../../proto/generated/gsq/v1/GetStatsResponse.ts';
import type { ListServersResponse__Output } from '../../proto/generated/gsq/v1/ListServersResponse.ts';
import { unary } from '../core/rpc/answer.ts';
import { Stack } from '../system/stack.ts';
import { bootstrap } from '../system/stack-settings.ts';
import { until } from '../system/until.ts';
import { deadline, FetchConversation, failure } from './grpc.ts';
import { startInProcess } from './in-process.ts';
import { fetchOne } from './rest.ts';
import { online, ScriptedProber } from './scripted-prober.ts';

const BUF = fileURLToPath(new URL('../../node_modules/.bin/buf', import.meta.url));
const run = promisify(execFile);

const SECRET = 'a-secret-for-tests-only';

/** Runs `buf curl`, a gRPC client that learns services and messages by server reflection only. Returns its output. */
async function bufCurl(url: string, ...flags: string[]): Promise<string> {
  const args = ['curl', '--protocol', 'grpc', '--http2-prior-knowledge', ...flags, `http://${url}`];
  return (await run(BUF, args, { maxBuffer: 16 * 1024 * 1024 })).stdout;
}

/** Returns the name of the gRPC status of a failed call. Fails if the call succeeds. */
async function statusOf(call: Promise<unknown>): Promise<string | undefined> {
  const error = await call.then(
    out => assert.fail(`succeeded with ${JSON.stringify(out)}`),
    (reason: GrpcError) => reason,
  );
  return status[error.code];
}

describe('the public gRPC port', () => {
  let stack: Stack;
  before(async () => {
    stack = await Stack.start({ processes: ['core'] });
  });
  after(() => stack.stop());

  const methods = [
    'grpc.health.v1.Health/Check',
    'gsq.v1.GameService/ListGames',
    'gsq.v1.ServerService/FetchServers',
    'gsq.v1.ServerService/FetchStream',
    'gsq.v1.ServerService/WatchServers',
  ];

  it('reports SERVING by grpc.health.v1 for the server and each public service, and NOT_FOUND for others', async () => {
    const client = new grpcHealthV1.Health(stack.grpc, credentials.createInsecure());
    const check = (service: string) =>
      unary<HealthCheckResponse__Output>(done => client.check({ service }, deadline(), done));
    for (const service of ['', 'gsq.v1.GameService', 'gsq.v1.ServerService']) {
      assert.equal((await check(service)).status, 'SERVING', service);
    }
    assert.equal(await statusOf(check('gsq.v1.AdminService')), 'NOT_FOUND');
    const watch = client.watch({ service: '' }, deadline());
    const { value } = await watch[Symbol.asyncIterator]().next();
    assert.equal(value.status, 'SERVING');
    client.close();
  });

  for (const version of ['grpc-v1', 'grpc-v1alpha']) {
    it(`lets buf curl list by reflection ${version} every method of the public services and no internal one`, async () => {
      const listed = await bufCurl(stack.grpc, '--reflect-protocol', version, '--list-methods');
      const found = listed.trim().split('\n');
      for (const method of methods) assert.ok(found.includes(method), `${method} is not in ${listed}`);
      assert.doesNotMatch(listed, /Admin|Probe/);
    });

    it(`lets buf curl call FetchServers and read the answer by reflection ${version}`, async () => {
      const body = '{"servers":[{"gameId":"csgo","servers":["127.0.0.1:27015","nonsense"]}]}';
      const headers = Object.entries(credentialKeys).flatMap(([name, key]) => [
        '-H',
        `${key}: ${bootstrap[name as keyof typeof bootstrap]}`,
      ]);
      const flags = ['--reflect-protocol', version, ...headers, '-d', body];
      const answer = JSON.parse(await bufCurl(`${stack.grpc}/gsq.v1.ServerService/FetchServers`, ...flags));
      assert.equal(answer.results[0].updater.status, 'SERVER_STATUS_PENDING');
      assert.match(answer.results[0].updater.nextProbeAt, /^\d{4}-/);
      assert.equal(answer.meta.invalidServers[0].reason, 'malformed_address');
    });
  }

  it('lets buf curl call ListGames and the health check by reflection, without credentials', async () => {
    const { games } = JSON.parse(await bufCurl(`${stack.grpc}/gsq.v1.GameService/ListGames`));
    assert.ok(games.some(({ id }: { id: string }) => id === 'csgo'));
    const health = JSON.parse(await bufCurl(`${stack.grpc}/grpc.health.v1.Health/Check`));
    assert.deepEqual(health, { status: 'SERVING' });
  });

  it('sends error details that buf curl can read by reflection', async () => {
    const call = bufCurl(`${stack.grpc}/gsq.v1.ServerService/FetchServers`);
    const { stderr } = await call.then(
      () => assert.fail('succeeded'),
      (error: { stderr: string }) => error,
    );
    const { code, details } = JSON.parse(stderr);
    assert.equal(code, 'unauthenticated');
    assert.deepEqual(details[0].type, 'google.rpc.ErrorInfo');
    assert.match(Buffer.from(details[0].value, 'base64').toString(), /AUTH_1/);
  });

  it('does not serve ProbeService and AdminService', async () => {
    const admin = clients.admin(stack.grpc);
    const probe = clients.probe(stack.grpc);
    const created = unary(done => admin.createToken({ tier: 'PRO', email: 'a@b.c' }, deadline(), done));
    assert.equal(await statusOf(created), 'UNIMPLEMENTED');
    const session = probe.session(deadline());
    session.write({ hello: { prober: 'x', maxInFlight: 1 } });
    assert.equal(await statusOf(session[Symbol.asyncIterator]().next()), 'UNIMPLEMENTED');
    admin.close();
    probe.close();
  });
});

describe('the internal gRPC port', () => {
  let stack: Stack;
  before(async () => {
    stack = await Stack.start({ env: { GSQ_INTERNAL_SECRET: SECRET } });
  });
  after(() => stack.stop());

  it('serves AdminService: tokens, servers, stats', async () => {
    const client = clients.admin(stack.internal);
    const secret = internalMetadata(SECRET);
    const groups = { servers: [{ gameId: 'csgo', servers: ['127.0.0.1:27900'] }] };
    await unary(done => client.addServers(groups, secret, deadline(), done));
    const list = () =>
      unary<ListServersResponse__Output>(done =>
        client.listServers({ gameId: 'csgo' }, secret, deadline(), done),
      );
    assert.deepEqual(
      (await list()).servers.map(({ server }) => server),
      ['127.0.0.1:27900'],
    );
    const stats = await unary<GetStatsResponse__Output>(done =>
      client.getStats({}, secret, deadline(), done),
    );
    assert.deepEqual([stats.tracked, stats.tokens], [1, 1]);
    await unary(done => client.removeServers(groups, secret, deadline(), done));
    assert.deepEqual((await list()).servers, []);
    client.close();
  });

  it('accepts a gateway and a prober that send the shared secret', async () => {
    await fetchOne(stack.http, 'csgo', '127.0.0.1:27901');
    const client = clients.admin(stack.internal);
    const stats = () =>
      unary<GetStatsResponse__Output>(done =>
        client.getStats({}, internalMetadata(SECRET), deadline(), done),
      );
    await until('the prober in session', stats, ({ probers }) => probers === 1);
    client.close();
  });

  for (const [what, metadata] of [
    ['without the shared secret', new Metadata()],
    ['with a wrong secret', internalMetadata('a-secret-for-tests-onlY')],
  ] as const) {
    it(`refuses calls to every service ${what}`, async () => {
      const admin = clients.admin(stack.internal);
      const game = clients.game(stack.internal);
      const probe = clients.probe(stack.internal);
      const session = probe.session(metadata, deadline());
      const refusals = await Promise.all([
        failure(unary(done => admin.listTokens({}, metadata, deadline(), done))),
        failure(unary(done => game.listGames({}, metadata, deadline(), done))),
        failure(session[Symbol.asyncIterator]().next()),
        failure(new FetchConversation(stack.internal, metadata).next()),
      ]);
      for (const { code, reason } of refusals) {
        assert.deepEqual([code, reason], ['UNAUTHENTICATED', 'AUTH_5']);
      }
      for (const client of [admin, game, probe]) client.close();
    });
  }
});

describe('ProbeService.Session', () => {
  let stack: Stack;
  let prober: ScriptedProber;
  before(async () => {
    stack = await Stack.start({ processes: ['core', 'gateway'] });
    prober = new ScriptedProber(stack.internal);
  });
  after(async () => {
    prober.leave();
    await stack.stop();
  });

  it('sends leases to a prober, and acknowledges its status reports', async () => {
    const address = '127.0.0.1:27902';
    prober.find('csgo', address, online(9));
    await fetchOne(stack.http, 'csgo', address);
    const look = () => fetchOne(stack.http, 'csgo', address);
    await until('the report of a prober', look, ({ players }) => players === 9);
    await until(
      'an acknowledgement',
      () => prober.acks.length,
      count => count > 0,
    );
    assert.deepEqual(prober.welcome?.allowTargets, ['127.0.0.0/8']);
    const [lease] = prober.leases;
    assert.deepEqual(
      [lease?.gameId, lease?.host, lease?.port, lease?.protocol, lease?.queryPorts, lease?.confirm],
      ['csgo', '127.0.0.1', 27902, 'a2s', [27902], false],
    );
    assert.deepEqual(
      prober.acks,
      Array.from(prober.acks.keys(), at => at + 1),
    );
  });

  it('gives the leases of a disconnected prober to another prober immediately', async () => {
    const address = '127.0.0.1:27903';
    const leases = (who: ScriptedProber) => who.leases.filter(({ port }) => port === 27903).length;
    await fetchOne(stack.http, 'csgo', address);
    await until(
      'the first lease',
      () => leases(prober),
      count => count === 1,
    );
    const second = new ScriptedProber(stack.internal);
    second.find('csgo', address, online(4));
    prober.leave();
    const look = () => fetchOne(stack.http, 'csgo', address);
    await until('the report of the second', look, ({ players }) => players === 4);
    second.leave();
  });
});

describe('the internal port without TLS', () => {
  const fault =
    /GSQ_INTERNAL_ADDR: .* is not loopback, so the internal port needs TLS there; set GSQ_INTERNAL_TLS_CERT/;

  for (const address of ['[::]:0', ':0', '192.0.2.1:0', 'example.invalid:0', '127.example.invalid:0']) {
    it(`does not open at ${address}, because this address is not loopback`, () =>
      assert.rejects(startInProcess({ GSQ_INTERNAL_ADDR: address }), fault));
  }
});
