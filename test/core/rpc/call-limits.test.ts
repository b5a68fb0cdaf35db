import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import type { Readable } from 'node:stream';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { Server, ServerCredentials, status } from '@grpc/grpc-js';
import { TIME_LIMITS } from '../../../core/rpc/call-limits.ts';
import { publicCalls } from '../../../core/rpc/public-call.ts';
import { UnservedCalls } from '../../../core/rpc/unserved-calls.ts';
import { googleRpc, gsqV1 } from '../../../proto/descriptors.ts';
import { fromRpcStatus } from '../../../proto/service-error.ts';
import { destroySession } from '../../http2-session.ts';

const { path } = gsqV1.GameService.service.ListGames;

/** Returns the error code in the headers of an answer, or undefined if they contain no error code. */
function codeIn(answer: Record<string, unknown>): string | undefined {
  const bytes = Buffer.from(String(answer['grpc-status-details-bin']), 'base64');
  return fromRpcStatus(googleRpc.Status.deserialize(bytes)).code;
}

test('a unary call is ended if its request message stays incomplete, but not if its handler is slow', {
  timeout: 10_000,
}, async t => {
  const server = new Server({
    interceptors: [
      publicCalls({
        limits: { ...TIME_LIMITS, arrivalMs: 50 },
        acceptsGzip: () => false,
        unserved: new UnservedCalls(),
      }),
    ],
  });
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
  t.after(async () => {
    await destroySession(session);
    server.forceShutdown();
  });
  const call = () =>
    session.request({ ':method': 'POST', ':path': path, 'content-type': 'application/grpc' });
  const whole = call().end(Buffer.alloc(5));
  // Starts a second call (`slow`) with an incomplete message. The time limit must end only this call, because the
  // message of the first call (`whole`) is complete.
  const slow = call();
  slow.write(Buffer.from([0, 0, 0, 0, 9, 1]));
  const [answer] = await once(slow, 'response');
  assert.equal(status[Number(answer['grpc-status'])], 'DEADLINE_EXCEEDED');
  assert.equal(codeIn(answer), 'GRPC_3');
  const ended = once(whole, 'trailers');
  whole.resume();
  answerLate();
  const [trailers] = await ended;
  assert.equal(status[Number(trailers['grpc-status'])], 'OK');
});

test('a time limit ends a stream that never completes a message, but not a stream that sends complete messages', {
  timeout: 10_000,
}, async t => {
  const server = new Server({
    interceptors: [
      publicCalls({
        limits: { ...TIME_LIMITS, silenceMs: 1000 },
        acceptsGzip: () => false,
        unserved: new UnservedCalls(),
      }),
    ],
  });
  const heard = new EventEmitter();
  server.addService(gsqV1.ServerService.service, {
    FetchServers: () => {},
    WatchServers: () => {},
    FetchStream: (stream: Readable) => stream.on('data', () => heard.emit('message')),
  });
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    );
  });
  const session = connectHttp2(`http://127.0.0.1:${port}`);
  t.after(async () => {
    await destroySession(session);
    server.forceShutdown();
  });
  const open = () => {
    const headers = { ':method': 'POST', ':path': gsqV1.ServerService.service.FetchStream.path };
    return session.request({ ...headers, 'content-type': 'application/grpc' });
  };
  const busy = open();
  const half = open();
  half.write(Buffer.from([0, 0, 0, 0, 9, 1]));
  const ended = once(half, 'response');
  let over = false;
  ended.then(() => {
    over = true;
  });
  // The stream `half` has sent only a part of a message, so it must end at its time limit. The stream `busy` must stay
  // open, because each complete message restarts its time limit.
  while (!over) {
    const message = once(heard, 'message');
    busy.write(Buffer.alloc(5));
    await message;
    await pause(20);
  }
  const [answer] = await ended;
  assert.equal(status[Number(answer['grpc-status'])], 'DEADLINE_EXCEEDED');
  assert.equal(codeIn(answer), 'GRPC_3');
  assert.equal(busy.closed, false);
  const again = once(heard, 'message');
  busy.write(Buffer.alloc(5));
  await again;
});
