import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Metadata, type ServerUnaryCall, status } from '@grpc/grpc-js';
import { Handlers } from '../../../core/rpc/handler.ts';
import { failure, unary } from './answer.ts';
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
