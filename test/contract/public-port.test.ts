import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { credentials, type ServiceError as GrpcError, status } from '@grpc/grpc-js';
import { clients, credentialKeys } from '../../proto/clients.ts';
import { grpcHealthV1 } from '../../proto/descriptors.ts';
import type { HealthCheckResponse__Output } from '../../proto/generated/grpc/health/v1/HealthCheckResponse.ts';
import { unary } from '../core/rpc/answer.ts';
import { Stack } from '../system/stack.ts';
import { bootstrap } from '../system/stack-settings.ts';
import { deadline } from './grpc.ts';

const BUF = fileURLToPath(new URL('../../node_modules/.bin/buf', import.meta.url));
const run = promisify(execFile);

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
    'gsq.v1.GameService/ListGamesJson',
    'gsq.v1.ServerService/FetchServers',
    'gsq.v1.ServerService/FetchServersJson',
    'gsq.v1.ServerService/FetchStream',
    'gsq.v1.ServerService/WatchServers',
  ];

  it('answers health checks with SERVING for the port and each public service, and with NOT_FOUND for other services', async () => {
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
    it(`lists all public methods, and no internal method, by server reflection (${version})`, async () => {
      const listed = await bufCurl(stack.grpc, '--reflect-protocol', version, '--list-methods');
      const found = listed.trim().split('\n');
      for (const method of methods) assert.ok(found.includes(method), `${method} is not in ${listed}`);
      assert.doesNotMatch(listed, /Admin|Probe/);
    });

    it(`answers FetchServers calls of \`buf curl\`, a client that uses server reflection (${version})`, async () => {
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

  it('answers ListGames and health checks without credentials', async () => {
    const { games } = JSON.parse(await bufCurl(`${stack.grpc}/gsq.v1.GameService/ListGames`));
    assert.ok(games.some(({ id }: { id: string }) => id === 'csgo'));
    const health = JSON.parse(await bufCurl(`${stack.grpc}/grpc.health.v1.Health/Check`));
    assert.deepEqual(health, { status: 'SERVING' });
  });

  it('sends error details that `buf curl` can decode with types from server reflection', async () => {
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
