import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type TestContext, test } from 'node:test';
import { credentials, Server, ServerCredentials, status } from '@grpc/grpc-js';
import { Health } from '../../../core/rpc/health.ts';
import { grpcHealthV1 } from '../../../proto/descriptors.ts';
import type { HealthCheckResponse__Output } from '../../../proto/generated/grpc/health/v1/HealthCheckResponse.ts';
import type { HealthListResponse__Output } from '../../../proto/generated/grpc/health/v1/HealthListResponse.ts';
import { until } from '../../system/until.ts';
import { failure, Inbox, unary } from './answer.ts';

async function running(t: TestContext, maxWatches?: number) {
  const health = new Health(['a.Service'], maxWatches);
  const server = new Server();
  health.addTo(server);
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    );
  });
  const client = new grpcHealthV1.Health(`127.0.0.1:${port}`, credentials.createInsecure());
  t.after(() => {
    client.close();
    server.forceShutdown();
  });
  return { health, client };
}

test('the health methods Check and List report the whole server and its services; Check of an unknown service is NOT_FOUND', async t => {
  const { health, client } = await running(t);
  const check = (service: string) =>
    unary<HealthCheckResponse__Output>(done => client.check({ service }, done)).then(answer => answer.status);
  assert.deepEqual([await check(''), await check('a.Service')], ['SERVING', 'SERVING']);
  for (const name of ['b.Service', '__proto__', 'x'.repeat(500_000)]) {
    const { code, ours } = await failure(done => client.check({ service: name }, done));
    assert.deepEqual([code, ours?.code], [status.NOT_FOUND, 'GRPC_4']);
  }
  const { statuses } = await unary<HealthListResponse__Output>(done => client.list({}, done));
  assert.deepEqual(Object.keys(statuses).sort(), ['', 'a.Service']);
  health.stopServing();
  assert.equal(await check('a.Service'), 'NOT_SERVING');
});

test('the health method Watch sends NOT_SERVING and then ends when the gRPC server stops', async t => {
  const { health, client } = await running(t);
  const watch = client.watch({ service: 'a.Service' });
  const [first] = await once(watch, 'data');
  assert.equal(first.status, 'SERVING');
  const leaving = client.watch({ service: 'nobody.knows' });
  leaving.on('error', () => {});
  const [unknown] = await once(leaving, 'data');
  assert.equal(unknown.status, 'SERVICE_UNKNOWN');
  assert.equal(health.watches, 2);
  leaving.cancel();
  await until(
    'the end of a watch',
    () => health.watches,
    count => count === 1,
  );
  const last = once(watch, 'data');
  const end = once(watch, 'end');
  health.stopServing();
  assert.equal((await last)[0].status, 'NOT_SERVING');
  watch.resume();
  await end;
  assert.equal(health.watches, 0);
});

test('the health method Watch is refused with CORE_1 while the number of watch streams is at its limit', async t => {
  const { client } = await running(t, 1);
  const first = client.watch({ service: '' });
  first.on('error', () => {});
  await once(first, 'data');
  const end = await new Inbox(client.watch({ service: '' })).over;
  assert.deepEqual([end?.code, end?.ours?.code], [status.UNAVAILABLE, 'CORE_1']);
  assert.deepEqual(end?.ours?.details, { retryAfterSeconds: 30, facts: { max_streams: '1' } });
  first.cancel();
});
