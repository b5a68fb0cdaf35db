import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { Metadata, Server, type ServerUnaryCall, status } from '@grpc/grpc-js';
import { AuditLog } from '../../../core/rpc/audit-log.ts';
import { CallJournal } from '../../../core/rpc/call-journal.ts';
import { listen } from '../../../core/rpc/grpc-server.ts';
import { Handlers } from '../../../core/rpc/handler.ts';
import { limitKeyOf } from '../../../net/network.ts';
import { clients } from '../../../proto/clients.ts';
import { gsqV1 } from '../../../proto/descriptors.ts';
import { AccessLog } from '../../../runtime/access-log.ts';
import { formatEndpoint } from '../../../runtime/endpoint.ts';
import { LogLines } from '../../runtime/log-lines.ts';
import { failure, Inbox, unary } from './answer.ts';
import { secretFailure, serving } from './served-handlers.ts';

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
  // Makes a second call and waits for its reply. When the reply arrives, the server has also handled the cancellation
  // of the first call.
  await unary(done => client.fetchServers({}, done));
  hungUp();
  await ended;
  await unary(done => client.fetchServers({}, done));
  assert.deepEqual(defects, []);
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

test('if a caller hangs up during a successful administrative call, the audit line contains the caller address and the outcome OK', async t => {
  const log = new LogLines();
  const audit = new AuditLog(log.logger);
  const handlers = new Handlers(
    () => {},
    () => assert.fail('a defect'),
    new CallJournal(),
    audit,
  );
  let hangUp = (): void => {};
  const server = new Server();
  server.addService(gsqV1.AdminService.service, {
    RevokeToken: handlers.unary<unknown, object>(async call => {
      hangUp();
      await once(call, 'cancelled');
      return { token: { id: 'tok_0123456789ab' } };
    }),
  });
  const { host, port } = await listen(server, 'GSQ_INTERNAL_ADDR', { host: '127.0.0.1', port: 0 });
  const client = clients.admin(formatEndpoint({ host, port }));
  t.after(() => {
    client.close();
    server.forceShutdown();
  });
  await failure(done => {
    const call = client.revokeToken({ id: 'tok_0123456789ab' }, done);
    hangUp = () => call.cancel();
  });
  const { caller, outcome, object } = await log.find(({ audit }) => audit === true);
  assert.deepEqual(
    [caller, outcome, object],
    ['127.0.0.1', 'OK', { token_id: 'tok_0123456789ab', expires_at: null }],
  );
});

test('an administrative call is not executed if its connection broke before the call began', async () => {
  const log = new LogLines();
  const handlers = new Handlers(
    () => {},
    () => assert.fail('a defect'),
    new CallJournal(),
    new AuditLog(log.logger),
  );
  const call = {
    metadata: new Metadata(),
    cancelled: false,
    getPath: () => gsqV1.AdminService.service.Backup.path,
    getPeer: () => 'unknown',
    getAuthContext: () => ({}),
  };
  let done = 0;
  const handle = handlers.unary<unknown, number>(() => ++done);
  handle(call as unknown as ServerUnaryCall<unknown, number>, () => assert.fail('an answer'));
  await new Promise(resolve => setImmediate(resolve));
  assert.equal(done, 0);
  assert.equal(handlers.journal.of('Backup').ended.get('CANCELLED'), 1);
  assert.deepEqual(log.lines, []);
});

test('the log line of a stream that its caller cancelled contains the address of the caller', async t => {
  const log = new LogLines();
  const journal = new CallJournal(new AccessLog(log.logger, 1, limitKeyOf));
  let over = (): void => {};
  const ended = new Promise<void>(resolve => {
    over = resolve;
  });
  const { client } = await serving(
    t,
    () => ({}),
    () => {},
    () => ended,
    journal,
  );
  const stream = client.watchServers({});
  const inbox = new Inbox<unknown>(stream);
  await once(stream, 'data');
  stream.cancel();
  assert.equal((await inbox.over)?.code, status.CANCELLED);
  // Makes a second call and waits for its answer. When this answer arrives, the server has also handled the
  // cancellation of the first call (`stream`).
  await unary(done => client.fetchServers({}, done));
  over();
  assert.equal((await log.find(({ method }) => method === 'WatchServers')).caller, '127.0.0.1');
});
