import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Response } from '../../../gateway/http/exchange.ts';
import { closeAfterEachTest, echo, Line, OTHER, REQUEST, serve } from './plain-server.ts';

closeAfterEachTest();

test('the fast HTTP parser answers several requests on one connection and keeps the connection open', async () => {
  await serve();
  const line = new Line();
  line.socket.write(`${REQUEST}a1`);
  await line.until(/plain a1$/);
  assert.match(
    line.received,
    /^HTTP\/1\.1 200 OK\r\nContent-Length: 8\r\nDate: [^\r]+ GMT\r\nConnection: keep-alive\r\nKeep-Alive: timeout=65\r\n\r\nplain a1$/,
  );
  line.socket.write(`${REQUEST}a2`);
  await line.until(/plain a2$/);
  // Sends a request whose Content-Length differs from the one of the previous request. The parser has cached the head
  // of the previous request, and must notice that the new head is different.
  line.socket.write(`${REQUEST.replace('2\r\n', '3\r\n')}abc`);
  await line.until(/plain abc$/);
  line.socket.write(`${REQUEST}a3`);
  await line.until(/plain a3$/);
});

test('the fast HTTP parser sends the current time in the Date header', async t => {
  await serve();
  const line = new Line();
  let now = 0;
  t.mock.method(Date, 'now', () => now);
  for (const [at, date] of [
    [0, 'Thu, 01 Jan 1970 00:00:00 GMT'],
    [999, 'Thu, 01 Jan 1970 00:00:00 GMT'],
    [86_400_000, 'Fri, 02 Jan 1970 00:00:00 GMT'],
  ] as const) {
    now = at;
    line.received = '';
    line.socket.write(`${REQUEST}a1`);
    await line.until(/plain a1$/);
    assert.equal(/Date: ([^\r]+)/.exec(line.received)?.[1], date);
  }
});

test('the fast HTTP parser accepts a request that arrives in two packets', async () => {
  await serve();
  const line = new Line();
  line.socket.setNoDelay(true);
  // Sends the pieces of a request with short pauses, so that the server usually reads them separately. The test cannot
  // check whether it does.
  const pieces = async (...texts: string[]): Promise<void> => {
    for (const text of texts) {
      await new Promise(resolve => line.socket.write(text, resolve));
      await new Promise(setImmediate);
    }
  };
  await pieces(REQUEST, 'a1');
  await line.until(/plain a1$/);
  await pieces(REQUEST, 'a', '1');
  await line.until(/(node|plain a1.*plain a1)$/s);
});

test('the fast HTTP parser passes a connection to node:http if a request arrives before the previous answer', async () => {
  const held: Response[] = [];
  let came = (): void => {};
  const arrived = new Promise<void>(resolve => {
    came = resolve;
  });
  await serve(
    (_, response) => {
      held.push(response);
      came();
    },
    { connectionsCheckingInterval: 60_000 },
  );
  const line = new Line();
  line.socket.write(`${REQUEST}a1`);
  await arrived;
  line.socket.write(`${OTHER}${OTHER}`);
  const second = new Line();
  second.socket.write(OTHER);
  await second.until(/node$/);
  held[0]?.writeHead(200, { 'Content-Length': '5' }).end(Buffer.from('first'));
  await line.until(/node.*node$/s);
  assert.match(line.received, /first.*node.*node$/s);
  // Once a connection was passed to node:http, node:http answers all later requests, even those that the fast HTTP
  // parser could read.
  line.socket.write(`${REQUEST}a2`);
  await line.until(/node.*node.*node$/s);
});

test('the fast HTTP parser answers a caller that closes its half of the connection after a request', async () => {
  await serve((request, response) => {
    request.socket.once('end', () => echo(request, response));
  });
  const line = new Line();
  line.socket.end(`${REQUEST}a1`);
  await line.closed;
  assert.match(line.received, /plain a1$/);
});

test('the fast HTTP parser answers 400 if the caller closes its half of the connection before the request is complete', async () => {
  await serve();
  const line = new Line();
  line.socket.end(REQUEST);
  await line.closed;
  assert.match(line.received, /^HTTP\/1\.1 400 /);
});

test('the fast HTTP parser closes the connection after an answer with Connection: close', async () => {
  await serve((_, response) => {
    response.writeHead(503, { 'Content-Length': '0', Connection: 'close' }).end();
  });
  const line = new Line();
  line.socket.write(`${REQUEST}a1`);
  await line.closed;
  assert.match(
    line.received,
    /^HTTP\/1\.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n/,
  );
});

test('a caller that disconnects before the answer causes no error in the fast HTTP parser', async () => {
  let answer: () => void = () => {};
  let gone: Promise<unknown> | undefined;
  let came = (): void => {};
  const arrived = new Promise<void>(resolve => {
    came = resolve;
  });
  await serve(({ socket, ...request }, response) => {
    gone = new Promise(resolve => socket.on('close', resolve));
    answer = () => {
      assert.equal(response.destroyed, true);
      response.writeHead(200, { 'Content-Length': '0' }).end(request.body);
    };
    came();
  });
  const line = new Line();
  line.socket.write(`${REQUEST}a1`);
  await arrived;
  line.socket.resetAndDestroy();
  await gone;
  answer();
});
