import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { type TestContext, test } from 'node:test';
import { Server } from '@grpc/grpc-js';
import { listen } from '../../../core/rpc/grpc-server.ts';
import { Handlers } from '../../../core/rpc/handler.ts';
import { notifyService } from '../../../core/rpc/notify-service.ts';
import { TargetPolicy } from '../../../net/targets.ts';
import { clients } from '../../../proto/clients.ts';
import { gsqV1 } from '../../../proto/descriptors.ts';
import type { LeaseDeliveriesResponse__Output } from '../../../proto/generated/gsq/v1/LeaseDeliveriesResponse.ts';
import { formatEndpoint } from '../../../runtime/endpoint.ts';
import { until } from '../../system/until.ts';
import { HookWorld } from '../webhooks/hook-world.ts';
import { failure, unary } from './answer.ts';

/** Serves the NotifyService of a core without webhooks. */
async function serving(t: TestContext) {
  const { hooks } = await HookWorld.open(t);
  const closing = new AbortController();
  const defects: unknown[] = [];
  const handlers = new Handlers(
    () => {},
    error => defects.push(error),
  );
  const server = new Server();
  const dependencies = { hooks, policy: new TargetPolicy([]), closing: closing.signal };
  server.addService(gsqV1.NotifyService.service, notifyService(dependencies, handlers));
  const endpoint = await listen(server, 'GSQ_GRPC_ADDR', { host: '127.0.0.1', port: 0 });
  const client = clients.notify(formatEndpoint(endpoint));
  t.after(() => {
    client.close();
    server.forceShutdown();
    assert.deepEqual(defects, []);
  });
  const lease = (waitMs: number) =>
    unary<LeaseDeliveriesResponse__Output>(done => client.leaseDeliveries({ waitMs }, done));
  return { client, closing, lease };
}

/**
 * Number of objects that Node keeps for a signal: its listeners, and the signals that AbortSignal.any made from it.
 * Node keeps these signals in a set under a symbol without a public name.
 */
function keptFor(signal: AbortSignal): number {
  const key = Object.getOwnPropertySymbols(signal).find(
    ({ description }) => description === 'kDependantSignals',
  );
  const signals: { size: number } | undefined = key && Reflect.get(signal, key);
  return getEventListeners(signal, 'abort').length + (signals?.size ?? 0);
}

test('a LeaseDeliveries call that has ended leaves no listener on the shutdown signal of the core', async t => {
  const { client, closing, lease } = await serving(t);
  for (let i = 0; i < 5; i++) assert.deepEqual((await lease(1)).deliveries, []);
  assert.equal(keptFor(closing.signal), 0);
  // A call that the notifier cancels while the core waits for a delivery.
  const cancelled = failure(done => {
    const call = client.leaseDeliveries({ waitMs: 20_000 }, done);
    void listening(closing.signal).then(() => call.cancel());
  });
  await cancelled;
  await until(
    'the end of a cancelled call',
    () => keptFor(closing.signal),
    kept => kept === 0,
  );
});

test('a waiting LeaseDeliveries call ends without deliveries when the core shuts down, and later calls do not wait', async t => {
  const { closing, lease } = await serving(t);
  const waiting = lease(20_000);
  await listening(closing.signal);
  closing.abort();
  assert.deepEqual((await waiting).deliveries, []);
  assert.deepEqual((await lease(20_000)).deliveries, []);
});

/** Resolves when a LeaseDeliveries call listens to `signal`. */
function listening(signal: AbortSignal): Promise<unknown> {
  return until(
    'a call that waits',
    () => keptFor(signal),
    kept => kept > 0,
  );
}
