import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { test } from 'node:test';
import { Server, ServerCredentials, status } from '@grpc/grpc-js';
import { callLimits } from '../../../core/rpc/call-limits.ts';
import { gsqV1 } from '../../../proto/descriptors.ts';

const { path } = gsqV1.GameService.service.ListGames;

test('a call of one message that does not send it is ended; one that has waits as long as it takes', {
  timeout: 10_000,
}, async t => {
  const server = new Server({ interceptors: [callLimits({ arrivalMs: 50 })] });
  let answerLate: () => void = () => {};
  server.addService(gsqV1.GameService.service, {
    ListGames: (_call: unknown, answer: (error: null, games: object) => void) => {
      answerLate = () => answer(null, { games: [] });
    },
  });
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    );
  });
  const session = connectHttp2(`http://127.0.0.1:${port}`);
  t.after(() => {
    session.destroy();
    server.forceShutdown();
  });
  const call = () =>
    session.request({ ':method': 'POST', ':path': path, 'content-type': 'application/grpc' });
  const whole = call().end(Buffer.alloc(5));
  // Begun later, and with the end of its limit that of the other is over too.
  const slow = call();
  slow.write(Buffer.from([0, 0, 0, 0, 9, 1]));
  const [answer] = await once(slow, 'response');
  assert.equal(status[Number(answer['grpc-status'])], 'DEADLINE_EXCEEDED');
  const ended = once(whole, 'trailers');
  whole.resume();
  answerLate();
  const [trailers] = await ended;
  assert.equal(status[Number(trailers['grpc-status'])], 'OK');
});
