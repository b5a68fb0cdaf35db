import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MAX_ANSWER_BYTES } from '../../notifier/delivery-sender.ts';
import { rawServer, startReceiver, thankingReceiver } from './receiver.ts';
import { send } from './send-delivery.ts';

test('the notifier treats a redirect as the answer of the receiver, and does not follow the redirect', async t => {
  const inside = await thankingReceiver(t);
  const receiver = await startReceiver(t, (_request, response) => {
    response.writeHead(307, { location: inside.origin }).end();
  });
  assert.equal((await send(receiver.origin)).httpStatus, 307);
  assert.deepEqual(inside.received, []);
});

test('the notifier reports the Retry-After header as a number of seconds, even if the header contains a date', async t => {
  const values = ['7', 'Tue, 24 Nov 2026 12:00:30 GMT', 'soon', '-4', '99999999'];
  const receiver = await startReceiver(t, (_request, response) => {
    const date = 'Tue, 24 Nov 2026 12:00:00 GMT';
    response.writeHead(429, { date, 'retry-after': values[receiver.received.length - 1] ?? '' }).end();
  });
  const seconds: number[] = [];
  for (const _ of values) seconds.push((await send(receiver.origin)).retryAfterSeconds);
  assert.deepEqual(seconds, [7, 30, 0, 0, 86_400]);
});

test('the notifier reads at most 64 KiB of an answer', async t => {
  let written = 0;
  const url = await rawServer(t, socket => {
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 67108864\r\n\r\n');
    const chunk = Buffer.alloc(16 * 1024, 0x61);
    const more = (): void => {
      written += chunk.length;
      if (written < 64 * 1024 * 1024 && !socket.destroyed) socket.write(chunk, more);
    };
    socket.once('data', more);
  });
  const sent = await send(url, { wantsBody: true });
  assert.equal(sent.httpStatus, 200);
  assert.equal(sent.body.length, MAX_ANSWER_BYTES);
  assert.ok(written < 64 * 1024 * 1024, `${written} bytes were taken`);
});

test('the notifier reports the body of the receiver’s answer only if the core has requested this body', async t => {
  const receiver = await thankingReceiver(t);
  assert.equal((await send(receiver.origin, { wantsBody: true })).body.toString(), 'thanks');
  assert.equal((await send(receiver.origin)).body.length, 0);
});

test('the notifier aborts a delivery at its time limit if the receiver never answers', async t => {
  const url = await rawServer(t, () => {});
  assert.match((await send(url, { timeoutMs: 50 })).error, /no answer within 50 ms/);
});

test('the notifier aborts a delivery at its time limit if the receiver sends the answer too slowly', async t => {
  const url = await rawServer(t, socket => {
    socket.write('HTTP/1.1 200 OK\r\n');
    const timer = setInterval(() => socket.write('x-slow: 1\r\n'), 10);
    socket.on('close', () => clearInterval(timer));
  });
  assert.match((await send(url, { timeoutMs: 100 })).error, /no answer within 100 ms/);
});

test('the notifier reports in plain words that a connection broke before the answer', async t => {
  const url = await rawServer(t, socket => socket.destroy());
  const sent = await send(url);
  assert.equal(sent.httpStatus, 0);
  assert.match(sent.error, /socket hang up|connection reset/);
});

test('the notifier reports an answer that is not HTTP as a failure', async t => {
  const url = await rawServer(t, socket => socket.end('SSH-2.0-OpenSSH\r\n\r\n'));
  const sent = await send(url);
  assert.equal(sent.httpStatus, 0);
  assert.notEqual(sent.error, '');
});
