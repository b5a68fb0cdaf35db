import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ServiceError as CallError, Metadata, status } from '@grpc/grpc-js';
import { googleRpc } from '../../../proto/descriptors.ts';
import type { ServerServiceClient } from '../../../proto/generated/gsq/v1/ServerService.ts';
import { ServiceError } from '../../../proto/service-error.ts';
import { failure, Inbox, unary } from './answer.ts';
import { secretFailure, serving, type Unary } from './served-handlers.ts';

const bothStreams = (client: ServerServiceClient): Inbox<unknown>[] => [
  new Inbox<unknown>(client.watchServers({})),
  new Inbox<unknown>(client.fetchStream()),
];

const INTERNAL = 'Something went wrong inside the service; the operator finds it in the log.';

for (const [how, unary] of Object.entries<Unary>({
  'rejects with': async () => secretFailure(),
  throws: () => secretFailure(),
})) {
  test(`if a handler ${how} an unexpected error, its call ends with INTERNAL_1, and only the log contains the cause`, async t => {
    const { client, defects } = await serving(t, unary);
    const { code, details, ours } = await failure(done => client.fetchServers({}, done));
    assert.deepEqual(
      [code, details, ours?.code, ours?.message],
      [status.INTERNAL, INTERNAL, 'INTERNAL_1', INTERNAL],
    );
    assert.equal(defects.length, 1);
    assert.equal(defects[0]?.method, '/gsq.v1.ServerService/FetchServers');
    assert.match(String(defects[0]?.error), /password/);
  });
}

test('the caller receives the code, message and details of a ServiceError, which is not logged as an internal error', async t => {
  const { client, defects } = await serving(t, () => {
    throw new ServiceError('QUOTA_1', 'used up', {
      retryAfterSeconds: 42,
      facts: { quota: '1440' },
      violations: [{ path: 'servers[0]', message: 'bad' }],
    });
  });
  const { code, details, ours } = await failure(done => client.fetchServers({}, done));
  assert.deepEqual([code, details], [status.RESOURCE_EXHAUSTED, 'used up']);
  assert.equal(ours?.code, 'QUOTA_1');
  assert.deepEqual(ours?.details, {
    retryAfterSeconds: 42,
    facts: { quota: '1440' },
    violations: [{ path: 'servers[0]', message: 'bad' }],
  });
  assert.deepEqual(defects, []);
});

test('a failed call has the request id of the caller, or a random id, in its RequestInfo and log line', async t => {
  const { client, defects } = await serving(t, () => secretFailure());
  const requestIdAfter = async (given: string): Promise<string | undefined> => {
    const metadata = new Metadata();
    metadata.set('x-request-id', given);
    const error = await unary(done => client.fetchServers({}, metadata, done)).then(
      () => assert.fail('the call did not fail'),
      (reason: CallError) => reason,
    );
    const [bytes] = error.metadata.get('grpc-status-details-bin');
    assert.ok(bytes instanceof Buffer);
    const { details } = googleRpc.Status.deserialize(bytes);
    const info = details.find(({ type_url }) => type_url.endsWith('/google.rpc.RequestInfo'));
    return info && googleRpc.RequestInfo.deserialize(info.value).requestId;
  };
  const ids = [await requestIdAfter('an-id'), await requestIdAfter('not valid'), await requestIdAfter('')];
  assert.equal(ids[0], 'an-id');
  for (const id of ids.slice(1)) assert.match(id ?? '', /^[0-9a-f-]{36}$/);
  assert.deepEqual(
    defects.map(({ origin }) => origin.request_id),
    ids,
  );
});

test('if a stream handler rejects, the caller receives the messages sent before, and then the stream ends with INTERNAL_1', async t => {
  const { client, defects } = await serving(
    t,
    () => ({}),
    () => {},
    async () => secretFailure(),
  );
  for (const inbox of bothStreams(client)) {
    const end = await inbox.over;
    assert.deepEqual([end?.code, end?.details, end?.ours?.code], [status.INTERNAL, INTERNAL, 'INTERNAL_1']);
    assert.equal(inbox.messages.length, 1);
  }
  assert.deepEqual(defects.map(({ method }) => method).sort(), [
    '/gsq.v1.ServerService/FetchStream',
    '/gsq.v1.ServerService/WatchServers',
  ]);
});

test('if a stream handler returns, the stream ends with OK', async t => {
  const { client } = await serving(t, () => ({}));
  for (const inbox of bothStreams(client)) assert.equal(await inbox.over, undefined);
});

test('a call that fails the check of the caller (the guard) does not reach its handler', async t => {
  let handled = 0;
  const count = (): void => {
    handled++;
  };
  const { client, defects } = await serving(
    t,
    () => {
      count();
      return {};
    },
    metadata => {
      if (metadata.get('x-pass').length === 0) throw new ServiceError('AUTH_5', 'no');
    },
    async () => count(),
  );
  assert.equal((await failure(done => client.fetchServers({}, done))).ours?.code, 'AUTH_5');
  for (const inbox of bothStreams(client)) {
    assert.equal((await inbox.over)?.ours?.code, 'AUTH_5');
    assert.deepEqual(inbox.messages, []);
  }
  assert.deepEqual([handled, defects.length], [0, 0]);
  const pass = new Metadata();
  pass.set('x-pass', 'yes');
  await unary(done => client.fetchServers({}, pass, done));
  assert.equal(handled, 1);
});

test('a logged internal error contains the request id and the trace id of the call, but leaves out malformed ids', async t => {
  const { client, defects } = await serving(t, () => secretFailure());
  const metadata = new Metadata();
  metadata.set('x-request-id', 'mine-1');
  metadata.set('traceparent', '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01');
  await failure(done => client.fetchServers({}, metadata, done));
  metadata.set('x-request-id', '"forged": 1');
  metadata.set('traceparent', '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-x');
  await failure(done => client.fetchServers({}, metadata, done));
  const [first, second] = defects.map(({ origin }) => origin);
  assert.deepEqual(first, {
    request_id: 'mine-1',
    trace_id: '4bf92f3577b34da6a3ce929d0e0e4736',
    parent_id: '00f067aa0ba902b7',
  });
  // The request id of the second call is malformed, so the core gives the call a random request id.
  assert.deepEqual(Object.keys(second ?? {}), ['request_id']);
  assert.match(second?.request_id ?? '', /^[0-9a-f-]{36}$/);
});
