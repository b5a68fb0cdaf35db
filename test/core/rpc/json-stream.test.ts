import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { Metadata } from '@grpc/grpc-js';
import { JsonStreamCall } from '../../../core/rpc/json-stream-call.ts';
import { replyMetadata } from '../../../core/rpc/reply-metadata.ts';
import { CallFailed } from '../../../gateway/upstream/json-calls.ts';
import { callerKeys } from '../../../proto/clients.ts';
import { gsqV1 } from '../../../proto/descriptors.ts';
import { ServiceError } from '../../../proto/service-error.ts';
import { until } from '../../system/until.ts';
import { gatewayCalls, type HandledCall, JsonServer } from './json-stream-server.ts';

const STATUS = 'ServerService.GetStatusJson';
const CREATE = 'WebhookService.CreateWebhookJson';

/** Resolves to the error with which a call failed. */
async function failureOf(call: Promise<unknown>): Promise<ServiceError> {
  const error = await call.then(
    () => assert.fail('the call should have failed'),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof CallFailed, String(error));
  return error.error;
}

test('a call on a JsonStream has the same reply as a gRPC call, with all its metadata', async t => {
  const server = new JsonServer(t, call => {
    replyMetadata(call).set('etag', 'W/"1"');
    for (const left of ['day;9', 'burst;1']) replyMetadata(call).add('x-gsq-allowance', left);
    return JSON.stringify({ path: call.getPath(), id: call.metadata.get('x-request-id') });
  });
  await server.start();
  const { call, opened } = gatewayCalls(t, server);
  const metadata = { 'x-request-id': 'one' };
  const alone = await call(STATUS, { metadata });
  await opened();
  const streamed = await call(STATUS, { metadata });
  assert.deepEqual(server.areStreamed, [false, true]);
  assert.equal(streamed.body.toString(), '{"path":"/gsq.v1.ServerService/GetStatusJson","id":["one"]}');
  assert.deepEqual(streamed.body, alone.body);
  for (const key of ['etag', 'x-gsq-allowance'])
    assert.equal(streamed.metadata.get(key).join(', '), alone.metadata.get(key).join(', '), key);
  assert.deepEqual(streamed.metadata.get('x-gsq-allowance'), ['day;9', 'burst;1']);
});

test('the core learns the deadline of a call on a JsonStream', async t => {
  const server = new JsonServer(t, () => '{}');
  await server.start();
  const { call, opened } = gatewayCalls(t, server, { timeoutMs: 1_000_000 });
  await opened();
  const began = Date.now();
  await call(STATUS);
  const leftMs = Number((server.calls[0] as HandledCall).getDeadline()) - began;
  assert.ok(leftMs > 500_000 && leftMs < 2_000_000, `${leftMs} ms`);
});

test('an error on a JsonStream has the same code, message and details as the error of a gRPC call', async t => {
  const refusal = new ServiceError('QUERY_1', 'The query is not valid.', {
    violations: [{ path: 'sort', message: 'is unknown' }],
    facts: { most: '3' },
    retryAfterSeconds: 7,
  });
  const server = new JsonServer(t, () => Promise.reject(refusal));
  await server.start();
  const { call, opened } = gatewayCalls(t, server);
  const alone = await failureOf(call(STATUS));
  await opened();
  const streamed = await failureOf(call(STATUS));
  assert.deepEqual(server.areStreamed, [false, true]);
  for (const { code, message, details } of [alone, streamed])
    assert.deepEqual(
      { code, message, details },
      { code: refusal.code, message: refusal.message, details: refusal.details },
    );
});

test('a call of a method that the core does not have fails with ROUTE_1, and other calls on the JsonStream go on', async t => {
  const server = new JsonServer(t, () => '{}');
  await server.start([gsqV1.ServerService.service]);
  const { call, opened, client } = gatewayCalls(t, server);
  await opened();
  const stream = client.openStream();
  assert.equal((await failureOf(call(CREATE))).code, 'ROUTE_1');
  await call(STATUS);
  assert.deepEqual(server.areStreamed, [true]);
  assert.equal(client.openStream(), stream);
});

test('if the client hangs up, the handler of its call learns this, and a late answer changes nothing', async t => {
  let answerFirst = (_json: string): void => {};
  const first = new Promise<string>(resolve => {
    answerFirst = resolve;
  });
  const server = new JsonServer(t, ({ metadata }) => (metadata.get('first').length > 0 ? first : '"second"'));
  await server.start();
  const { call, opened } = gatewayCalls(t, server);
  await opened();
  const hangUp = new AbortController();
  const lost = failureOf(call(STATUS, { signal: hangUp.signal, metadata: { first: '1' } }));
  await server.arrived(1);
  const [handled] = server.calls as [HandledCall];
  const cancelled = once(handled, 'cancelled');
  hangUp.abort();
  await cancelled;
  assert.equal(handled.cancelled, true);
  assert.equal((await lost).code, 'CORE_1');
  answerFirst('"first"');
  assert.equal((await call(STATUS)).body.toString(), '"second"');
  assert.deepEqual(server.areStreamed, [true, true]);
});

test('a call that is cancelled in the turn in which it was sent is also cancelled in the core', async t => {
  const server = new JsonServer(t, () => new Promise(() => {}));
  await server.start();
  const { call, opened } = gatewayCalls(t, server);
  await opened();
  const hangUp = new AbortController();
  const lost = failureOf(call(STATUS, { signal: hangUp.signal }));
  setImmediate(() => hangUp.abort());
  assert.equal((await lost).code, 'CORE_1');
  await until(
    'the call is cancelled in the core',
    () => server.calls[0]?.cancelled,
    isCancelled => isCancelled === true,
  );
  assert.deepEqual(server.areStreamed, [true]);
});

test('a call without a reply fails with CORE_2 after its timeout, and the core learns the end of the call', async t => {
  const server = new JsonServer(t, () => new Promise(() => {}));
  await server.start();
  const { call, opened } = gatewayCalls(t, server, { timeoutMs: 300 });
  await opened();
  const slow = failureOf(call(STATUS));
  await server.arrived(1);
  const [handled] = server.calls as [HandledCall];
  if (!handled.cancelled) await once(handled, 'cancelled');
  assert.equal((await slow).code, 'CORE_2');
});

test('if a JsonStream breaks, a call without side effects is repeated as a gRPC call, and any other call fails with CORE_1', async t => {
  const server = new JsonServer(t, call =>
    call.metadata.get(callerKeys.repeated).length > 0 ? '"again"' : new Promise(() => {}),
  );
  await server.start();
  const { call, opened } = gatewayCalls(t, server);
  await opened();
  const reading = call(STATUS);
  const creating = failureOf(call(CREATE));
  await server.arrived(2);
  server.stop();
  assert.equal((await creating).code, 'CORE_1');
  await server.start();
  assert.equal((await reading).body.toString(), '"again"');
  assert.deepEqual(server.areStreamed, [true, true, false]);
});

test('a core that shuts down answers the calls of a JsonStream that it has begun, and the gateway makes later calls as gRPC calls', async t => {
  let answer = (_json: string): void => {};
  const held = new Promise<string>(resolve => {
    answer = resolve;
  });
  const server = new JsonServer(t, ({ metadata }) => (metadata.get('first').length > 0 ? held : '"later"'));
  await server.start();
  const { call, opened, client } = gatewayCalls(t, server);
  await opened();
  const first = call(CREATE, { metadata: { first: '1' } });
  await server.arrived(1);
  server.closing.abort();
  const later = await Promise.all([call(STATUS), call(CREATE)]);
  assert.deepEqual(
    later.map(({ body }) => body.toString()),
    ['"later"', '"later"'],
  );
  answer('"done"');
  assert.equal((await first).body.toString(), '"done"');
  await until(
    'the stream has ended',
    () => client.openStream(),
    stream => stream === undefined,
  );
  assert.deepEqual(server.areStreamed, [true, false, false]);
});

test('calls on a JsonStream that its core has not begun before it ended the stream are made as gRPC calls', async t => {
  const server = new JsonServer(t, () => '{}');
  await server.start();
  const { call, opened } = gatewayCalls(t, server);
  await opened();
  server.closing.abort();
  const calls = Array.from({ length: 20 }, () => call(CREATE));
  await Promise.all(calls);
  assert.deepEqual(new Set(server.areStreamed), new Set([false]));
  assert.equal(server.calls.length, 20);
});

test('if a core has 1024 calls of a JsonStream in progress, the gateway makes further calls as gRPC calls', async t => {
  const server = new JsonServer(t, ({ metadata }) =>
    metadata.get('further').length > 0 ? '"further"' : new Promise(() => {}),
  );
  await server.start();
  const { client, opened, call } = gatewayCalls(t, server);
  await opened();
  const stream = client.openStream();
  assert.ok(stream);
  const request = {
    path: '/gsq.v1.ServerService/GetStatusJson',
    request: Buffer.alloc(0),
    metadata: new Metadata(),
  };
  for (let i = 0; i < 1024; i++) void stream.call({ ...request, timeoutMs: 60_000 }, []);
  await server.arrived(1024);
  assert.equal((await call(CREATE, { metadata: { further: '1' } })).body.toString(), '"further"');
  assert.equal(server.areStreamed.at(-1), false);
  assert.equal(server.calls.length, 1025);
});

test('an unavailable core is called again as by a gRPC client: without side effects, and without metadata in its reply', async t => {
  const away = new ServiceError('CORE_1', 'The core is not ready yet.');
  const server = new JsonServer(t, call => {
    if (call.metadata.get('admitted').length > 0) replyMetadata(call).set('x-gsq-allowance', 'day;9');
    return call instanceof JsonStreamCall ? Promise.reject(away) : '"again"';
  });
  await server.start();
  const { call, opened } = gatewayCalls(t, server);
  await opened();
  assert.equal((await call(STATUS)).body.toString(), '"again"');
  const metadata = { admitted: '1' };
  for (const refused of [call(CREATE), call(STATUS, { metadata })])
    assert.equal((await failureOf(refused)).message, away.message);
  assert.deepEqual(server.areStreamed, [true, false, true, true]);
});

test('if a core no longer responds, a call on its JsonStream is cancelled, and repeated on the JsonStream of another core', async t => {
  const [silent, other] = [
    new JsonServer(t, () => new Promise(() => {})),
    new JsonServer(t, ({ metadata }) => JSON.stringify(metadata.get(callerKeys.repeated))),
  ] as const;
  await silent.start();
  await other.start();
  const { cores, call, opened } = gatewayCalls(t, silent, { others: [other] });
  await opened();
  cores.update([
    { address: silent.address, responds: true },
    { address: other.address, responds: false },
  ]);
  const reply = call(STATUS);
  await silent.arrived(1);
  cores.update([
    { address: silent.address, responds: false },
    { address: other.address, responds: true },
  ]);
  assert.equal((await reply).body.toString(), '["1"]');
  const [handled] = silent.calls as [HandledCall];
  if (!handled.cancelled) await once(handled, 'cancelled');
  assert.deepEqual([silent.areStreamed, other.areStreamed], [[true], [true]]);
});

test('a message with metadata that gRPC does not allow ends the JsonStream, and cancels its other calls', async t => {
  const server = new JsonServer(t, () => new Promise(() => {}));
  await server.start();
  const { client, opened } = gatewayCalls(t, server);
  await opened();
  const stream = client.openStream();
  assert.ok(stream);
  const call = { path: '/gsq.v1.ServerService/GetStatusJson', request: Buffer.alloc(0), timeoutMs: 60_000 };
  const good = stream.call({ ...call, metadata: new Metadata() }, []);
  await server.arrived(1);
  const bad = { getMap: () => ({ 'no key': '1' }), get: () => ['1'] } as unknown as Metadata;
  assert.deepEqual(await Promise.all([good, stream.call({ ...call, metadata: bad }, [])]), ['lost', 'lost']);
  const [handled] = server.calls as [HandledCall];
  if (!handled.cancelled) await once(handled, 'cancelled');
});
