import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Metadata, Server, type ServerUnaryCall, status } from '@grpc/grpc-js';
import type { CallOrigin } from '../../../core/rpc/call-origin.ts';
import { listen } from '../../../core/rpc/grpc-server.ts';
import { type CallGuard, Handlers } from '../../../core/rpc/handler.ts';
import { clients } from '../../../proto/clients.ts';
import { gsqV1 } from '../../../proto/descriptors.ts';
import type { FetchServersRequest__Output } from '../../../proto/generated/gsq/v1/FetchServersRequest.ts';
import type { FetchServersResponse } from '../../../proto/generated/gsq/v1/FetchServersResponse.ts';
import type { ServerServiceClient } from '../../../proto/generated/gsq/v1/ServerService.ts';
import { ServiceError } from '../../../proto/service-error.ts';
import { formatEndpoint } from '../../../runtime/endpoint.ts';
import { failure, Inbox, unary } from './answer.ts';

const secretFailure = (): never => {
  throw new Error('password in /etc/secret at 10.0.0.1');
};

type Unary = (request: FetchServersRequest__Output) => Promise<FetchServersResponse> | FetchServersResponse;

async function serving(t: TestContext, unary: Unary, guard: CallGuard = () => {}, streams = async () => {}) {
  const defects: { error: unknown; method: string; origin: CallOrigin }[] = [];
  const handlers = new Handlers(guard, (error, method, origin) => defects.push({ error, method, origin }));
  const server = new Server();
  server.addService(gsqV1.ServerService.service, {
    FetchServers: handlers.unary<FetchServersRequest__Output, FetchServersResponse>(({ request }) =>
      unary(request),
    ),
    WatchServers: handlers.serverStream(async call => {
      call.write({ snapshot: { results: [] } });
      await streams();
    }),
    FetchStream: handlers.bidi(async call => {
      call.write({ replies: [] });
      await streams();
    }),
  });
  const client = clients.server(
    formatEndpoint(await listen(server, 'GSQ_GRPC_ADDR', { host: '127.0.0.1', port: 0 })),
  );
  t.after(() => {
    client.close();
    server.forceShutdown();
  });
  return { client, defects, handlers };
}

const bothStreams = (client: ServerServiceClient): Inbox<unknown>[] => [
  new Inbox<unknown>(client.watchServers({})),
  new Inbox<unknown>(client.fetchStream()),
];

const INTERNAL = 'Something went wrong inside the service; the operator finds it in the log.';

for (const [how, unary] of Object.entries<Unary>({
  rejects: async () => secretFailure(),
  throws: () => secretFailure(),
})) {
  test(`if a unary handler ${how}, its call ends with INTERNAL_1, and only the log contains the cause`, async t => {
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

test('the caller receives code, message and details of a ServiceError, and it is not logged as an internal error', async t => {
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

test('if the guard refuses a call, the handler does not run, for unary calls and for streams', async t => {
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

test('if a caller cancels its call, no internal error is logged and the server answers further calls', async t => {
  let begun = (): void => {};
  let hungUp = (): void => {};
  const beginning = new Promise<void>(resolve => {
    begun = resolve;
  });
  const hangingUp = new Promise<void>(resolve => {
    hungUp = resolve;
  });
  let over = (): void => {};
  const ended = new Promise<void>(resolve => {
    over = resolve;
  });
  const { client, defects } = await serving(t, async ({ waitMs }) => {
    if (waitMs === 0) return {};
    begun();
    await hangingUp;
    setImmediate(over);
    return secretFailure();
  });
  const gone = failure(done => {
    const call = client.fetchServers({ waitMs: 1 }, done);
    beginning.then(() => call.cancel());
  });
  assert.equal((await gone).code, status.CANCELLED);
  // When a later call is answered, the server has processed the earlier cancellation.
  await unary(done => client.fetchServers({}, done));
  hungUp();
  await ended;
  await unary(done => client.fetchServers({}, done));
  assert.deepEqual(defects, []);
});

test('the call journal counts gRPC calls by method and by final status', async t => {
  let end: (answer: FetchServersResponse) => void = () => {};
  const held = new Promise<FetchServersResponse>(resolve => {
    end = resolve;
  });
  const { client, handlers } = await serving(t, ({ waitMs }) => {
    if (waitMs === 1) return secretFailure();
    if (waitMs === 2) throw new ServiceError('RATE_1', 'slowly');
    return held;
  });
  const seconds: number[] = [];
  handlers.journal.watchMethods(method => {
    method.onSeconds = took => seconds.push(took);
  });
  for (const waitMs of [1, 2, 2]) await failure(done => client.fetchServers({ waitMs }, done));
  const answered = unary(done => client.fetchServers({}, done));
  const [journal] = handlers.journal.methods;
  while (journal?.inFlight !== 1) await new Promise(setImmediate);
  end({});
  await answered;
  const inbox = new Inbox<unknown>(client.watchServers({}));
  await inbox.over;
  const counts = [...handlers.journal.methods].map(({ method, inFlight, ended }) => [
    method,
    inFlight,
    [...ended],
  ]);
  assert.deepEqual(counts, [
    [
      'FetchServers',
      0,
      [
        ['OK', 1],
        ['INTERNAL_1', 1],
        ['RATE_1', 2],
      ],
    ],
    [
      'WatchServers',
      0,
      [
        ['OK', 1],
        ['INTERNAL_1', 0],
      ],
    ],
  ]);
  assert.equal(seconds.length, 4, 'the time of a stream is no latency');
});

test('a logged internal error contains the request id and the trace id of the call, but no malformed values', async t => {
  const { client, defects } = await serving(t, () => secretFailure());
  const metadata = new Metadata();
  metadata.set('x-request-id', 'mine-1');
  metadata.set('traceparent', '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01');
  await failure(done => client.fetchServers({}, metadata, done));
  metadata.set('x-request-id', '"forged": 1');
  metadata.set('traceparent', '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-x');
  await failure(done => client.fetchServers({}, metadata, done));
  assert.deepEqual(
    defects.map(({ origin }) => origin),
    [
      {
        request_id: 'mine-1',
        trace_id: '4bf92f3577b34da6a3ce929d0e0e4736',
        parent_id: '00f067aa0ba902b7',
      },
      {},
    ],
  );
});

test('if a caller cancels its call before the call starts, the handler does not run and the call counts as cancelled', async () => {
  const handlers = new Handlers(
    () => {},
    () => assert.fail('a defect'),
  );
  const served: number[] = [];
  const answered: number[] = [];
  const calls = Array.from({ length: 9 }, (_, number) => ({
    number,
    metadata: new Metadata(),
    cancelled: false,
    getPath: () => '/gsq.v1.ServerService/FetchServers',
  }));
  const over = new Promise<void>(resolve => {
    const handle = handlers.unary<unknown, number>(call => {
      const { number } = call as unknown as (typeof calls)[0];
      served.push(number);
      return number;
    });
    for (const call of calls) {
      handle(call as unknown as ServerUnaryCall<unknown, number>, (_error, number) => {
        answered.push(Number(number));
        if (answered.length === 9) resolve();
      });
    }
    const last = calls.at(-1);
    assert.ok(last);
    last.cancelled = true;
    const after = { ...last, number: 9, cancelled: false };
    handle(after as unknown as ServerUnaryCall<unknown, number>, (_error, number) => {
      answered.push(Number(number));
      resolve();
    });
  });
  await over;
  assert.deepEqual(served, [0, 1, 2, 3, 4, 5, 6, 7, 9]);
  assert.deepEqual(answered, served);
  assert.equal(handlers.journal.of('FetchServers').ended.get('CANCELLED'), 1);
});
