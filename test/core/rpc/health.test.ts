import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type TestContext, test } from 'node:test';
import { credentials, Server, ServerCredentials, status } from '@grpc/grpc-js';
import { Health, type HealthOptions } from '../../../core/rpc/health.ts';
import { grpcHealthV1 } from '../../../proto/descriptors.ts';
import type { HealthCheckResponse__Output } from '../../../proto/generated/grpc/health/v1/HealthCheckResponse.ts';
import type { HealthListResponse__Output } from '../../../proto/generated/grpc/health/v1/HealthListResponse.ts';
import { until } from '../../system/until.ts';
import { failure, Inbox, unary } from './answer.ts';

async function running(t: TestContext, options?: HealthOptions) {
  const health = new Health(['a.Service'], options);
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

test('the health methods Check and List report the status of each service, and Check of an unknown service fails with NOT_FOUND', async t => {
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
  const { client } = await running(t, { limits: { watches: 1, watchesPerAddress: 9 } });
  const first = client.watch({ service: '' });
  first.on('error', () => {});
  await once(first, 'data');
  const end = await new Inbox(client.watch({ service: '' })).over;
  assert.deepEqual([end?.code, end?.ours?.code], [status.UNAVAILABLE, 'CORE_1']);
  assert.deepEqual(end?.ours?.details, { retryAfterSeconds: 30, facts: { max_streams: '1' } });
  first.cancel();
});

/** Opens a watch stream of the health service. Resolves when its first message has arrived. */
async function openWatch(client: InstanceType<typeof grpcHealthV1.Health>) {
  const watch = client.watch({ service: '' });
  watch.on('error', () => {});
  await once(watch, 'data');
  return watch;
}

test('if an address has its maximum number of watch streams, the health method Watch refuses more with RATE_1 until a stream ends', {
  timeout: 20_000,
}, async t => {
  const limits = { watches: 9, watchesPerAddress: 2 };
  const { health, client } = await running(t, { byAddress: true, limits, counts: () => true });
  const [first] = [await openWatch(client), await openWatch(client)];
  const end = await new Inbox(client.watch({ service: '' })).over;
  assert.deepEqual([end?.code, end?.ours?.code], [status.RESOURCE_EXHAUSTED, 'RATE_1']);
  assert.deepEqual(end?.ours?.details, {
    retryAfterSeconds: 30,
    facts: { max_streams: '2' },
    quotaSubject: 'clientip:127.0.0.1',
  });
  assert.deepEqual([health.watches, health.addresses], [2, 1]);
  first.cancel();
  await until(
    'the end of a watch',
    () => health.watches,
    count => count === 1,
  );
  await openWatch(client);
  assert.equal(health.watches, 2);
});

test('when the gRPC server stops, the number of watch streams of an address falls to 0, and later streams leave it at 0', async t => {
  const limits = { watches: 9, watchesPerAddress: 1 };
  const { health, client } = await running(t, { byAddress: true, limits, counts: () => true });
  const watch = await openWatch(client);
  assert.equal(health.addresses, 1);
  const end = once(watch, 'end');
  health.stopServing();
  assert.deepEqual([health.watches, health.addresses], [0, 0]);
  watch.resume();
  await end;
  // The server now ends each new watch stream at once. The ended streams must not count against the stream limit.
  for (let i = 0; i < 2; i++) {
    const late = new Inbox<HealthCheckResponse__Output>(client.watch({ service: '' }));
    assert.equal(await late.over, undefined);
    assert.equal(late.messages[0]?.status, 'NOT_SERVING');
  }
  assert.equal(health.addresses, 0);
});

test('the health method Watch has no limit per address on the internal port, behind a proxy, or for callers on this machine', async t => {
  const limits = { watches: 9, watchesPerAddress: 1 };
  for (const options of [{ byAddress: false, counts: () => true }, { byAddress: true }]) {
    const { health, client } = await running(t, { ...options, limits });
    await openWatch(client);
    await openWatch(client);
    assert.equal(health.watches, 2);
  }
});
